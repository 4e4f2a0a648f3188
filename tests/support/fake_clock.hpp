#pragma once

#include "harness/scheduler/clock.hpp"

namespace bench::support {

// Stands still until it is moved.
class FakeClock final : public scheduler::Clock {
 public:
  std::int64_t now_ns() override { return now_ns_; }
  void advance_ns(std::int64_t ns) { now_ns_ += ns; }
  void advance_s(double s) { now_ns_ += static_cast<std::int64_t>(s * 1e9); }

 private:
  std::int64_t now_ns_ = 1'000'000'000;
};

}  // namespace bench::support
