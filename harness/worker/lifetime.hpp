#pragma once

#include <sys/types.h>

namespace bench::worker {

// For a worker that bench started: dies with its parent, leaves Ctrl-C to it, and takes a closed pipe as an
// error code. To be called first in main, before any thread exists.
void live_and_die_with(pid_t parent);

// Keeps the kernel's out-of-memory killer away from everything but this worker, and core files out of the
// way.
void volunteer_for_the_oom_killer();

// The allocator's budget is what a case normally meets. Memory that it does not see (MKL's packing buffers, a
// runaway std::vector) ends at the kernel's limit on private memory, `budget_bytes` and a GiB for everything
// else, where the allocation fails and can be caught. 0: no limit.
void limit_private_memory(long long budget_bytes);

}  // namespace bench::worker
