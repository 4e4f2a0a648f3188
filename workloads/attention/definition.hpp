#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/registry/workload_spec.hpp"

namespace bench::attention {

// What `bench list` and `bench run attention --help` show, and what a case costs by formula.
registry::WorkloadSpec make_spec();

// "naive", "tiled", ...: the choices of --implementation, and of model's --attention.
std::vector<std::string> variant_names();
// "naive (softmax ...), tiled (...)"
std::string described_variants();
// Whether LibTorch has the implementation on "cpu", "cuda:0".
registry::Support supports_variant(std::string_view name, std::string_view device);

// forward 4·D per counted pair of query and key, backward 2.5 times that.
Work work_of(const Case& configuration);

}  // namespace bench::attention
