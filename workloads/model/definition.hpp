#pragma once

#include <string>

#include "harness/registry/workload_spec.hpp"

namespace bench::model {

// What `bench list` and `bench run model --help` show, and what a case costs by formula.
registry::WorkloadSpec make_spec();

// forward: 2·N·tokens + 4·L·T²·d·B/2; N is every parameter outside the embedding table.
Work work_of(const Case& configuration);

// Of its matrix products: fp32, tf32, bf16 (also of bf16-mixed), fp16 (of fp16-mixed).
std::string arithmetic_of(const Case& configuration);

}  // namespace bench::model
