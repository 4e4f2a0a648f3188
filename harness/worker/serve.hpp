#pragma once

#include "harness/protocol/message.hpp"
#include "harness/worker/arguments.hpp"

namespace bench::worker {

class Device;

// Serves bench until it has nothing more to ask: alone, or as one of several ranks. Rank 0 leads: it passes
// bench's commands on to the others through their store, does them itself, and passes on what they say.
void serve(const Arguments& arguments, Device& device, protocol::Hello hello);

}  // namespace bench::worker
