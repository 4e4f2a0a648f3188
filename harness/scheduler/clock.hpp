#pragma once

#include <cstdint>

namespace bench::scheduler {

// Injected, so that budgets, deadlines and progress are tested without waiting.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ns() = 0;  // monotonic
};

class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() override;
};

inline double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - begin_ns) / 1e9;
}

}  // namespace bench::scheduler
