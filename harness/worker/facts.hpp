#pragma once

#include <string_view>

#include "harness/protocol/message.hpp"

namespace bench::worker {

class Device;

// What a worker tells of itself first: libraries, threads, the instruction set that ATen chose, its own
// conditions, and what its device adds. `flushed`: whether denormals are flushed to zero.
protocol::Hello make_hello(Device& device, std::string_view program, bool flushed);

}  // namespace bench::worker
