#include "harness/scheduler/clock.hpp"

#include <chrono>

namespace bench::scheduler {

std::int64_t SystemClock::now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace bench::scheduler
