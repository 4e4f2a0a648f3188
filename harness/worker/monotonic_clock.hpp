#pragma once

#include <ctime>

#include <cstdint>

namespace bench::worker {

// CLOCK_MONOTONIC in ns: the same clock for all ranks of one host, unlike a steady_clock whose epoch is
// unspecified.
inline std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// The processor time that this process has used: all of its threads, of which autograd's launch the backward.
inline std::int64_t process_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::int64_t>(used.tv_sec) * 1'000'000'000 + used.tv_nsec;
}

}  // namespace bench::worker
