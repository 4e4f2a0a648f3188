#pragma once

#include <cstdint>
#include <memory>

#include "harness/worker/device.hpp"

namespace bench::worker {

// Marks are clock reads; there is nothing to synchronise, as ATen's CPU operators return when they are done.
// Memory comes from the counting allocator, which must be installed. budget_bytes: that allocator's.
std::unique_ptr<Device> make_cpu_device(std::int64_t budget_bytes);

}  // namespace bench::worker
