#pragma once

#include <memory>

#include "harness/worker/workload.hpp"

namespace bench::attention {

// Phases: forward, backward, or both.
std::unique_ptr<worker::Workload> make_attention_workload(const worker::Setup& setup);

}  // namespace bench::attention
