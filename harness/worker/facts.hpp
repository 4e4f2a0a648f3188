#pragma once

#include "harness/protocol/message.hpp"

namespace bench::worker {

class Device;

// What a worker tells of itself first: libraries, threads, the instruction set that ATen chose, its own
// conditions. `flushed`: whether denormals are flushed to zero. budget_bytes: the allocator's, 0 for none.
protocol::Hello make_hello(Device& device, bool flushed, std::int64_t budget_bytes);

}  // namespace bench::worker
