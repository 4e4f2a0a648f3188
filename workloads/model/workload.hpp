#pragma once

#include <memory>

#include "harness/worker/workload.hpp"

namespace bench::model {

// Phases: forward; backward, with zero_grad where there is no optimizer; optimizer, with zero_grad to none at
// its end.
std::unique_ptr<worker::Workload> make_model_workload(const worker::Setup& setup);

}  // namespace bench::model
