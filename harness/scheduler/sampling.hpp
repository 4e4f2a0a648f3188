#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/core/policy.hpp"
#include "harness/core/remark.hpp"

// The decisions of a measurement, as pure functions: how many steps make a sample, how many to ask for, when
// to stop.
namespace bench::scheduler {

// blocking: 1. back-to-back, and graph in replays: the smallest k >= 5 that fills 10 ms; 1 when five steps
// take more than 10 s. A cold cache stays cold for one step only: 1.
int steps_per_sample(Timing timing, CacheState cache, double step_ns);

// How many samples to have before looking again whether to stop: what is left of --steps; for auto the first
// ten, then as many again as there are, since each look sorts them all.
int samples_wanted(const Policy& policy, int taken);

// How many samples to ask for at once: about a quarter of a second's worth, at least 1, at most `wanted`. So
// that budget, progress and signals are looked at often enough, and short samples are not each preceded by a
// message.
int chunk_size(double sample_ns, int wanted);

// After the first step, warm-up may use a third of the time budget. True: start no further warm-up step.
bool warmup_budget_used(const Policy& policy, double elapsed_s, double step_s);

inline constexpr int kMinimumSamples = 3;       // whatever the time budget says
inline constexpr int kMinimumAutoSamples = 10;  // before --steps auto looks at the interval
inline constexpr int kMaximumAutoSamples = 100'000;

// Why sampling ends here; nullopt: it does not. `host_ns` are the measured samples so far, in time order;
// elapsed_s is since the end of the first step.
std::optional<Remark> should_stop(const Policy& policy, int steps_per_sample, std::span<const double> host_ns,
                                  double elapsed_s);

}  // namespace bench::scheduler
