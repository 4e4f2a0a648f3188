#pragma once

#include <cmath>
#include <cstdint>

namespace bench::synthetic {

// How long steps are to last: a pure function of the case and the seed, the same on every machine.
struct StepLength {
  double duration_ns = 0;
  double noise = 0;  // give or take this share of the duration
  double drift = 0;  // each step is longer than the one before by this share
  std::uint64_t seed = 0;

  // Steps count from 1.
  double of_step_ns(std::int64_t step) const {
    return duration_ns * std::pow(1 + drift, static_cast<double>(step - 1)) * (1 + noise * draw(step));
  }

 private:
  // In [-1, 1): splitmix64 (https://prng.di.unimi.it/splitmix64.c), read at position `step`.
  double draw(std::int64_t step) const {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(step);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
  }
};

}  // namespace bench::synthetic
