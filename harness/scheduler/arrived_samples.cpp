#include "harness/scheduler/arrived_samples.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace bench::scheduler {

void ArrivedSamples::add(const Sample& sample) {
  Rank& rank = ranks_[sample.rank];
  if (rank.total++ == 0) first_host_ns_ = std::max(first_host_ns_.value_or(0), sample.host_ns);
  std::vector<double>& steps = step_ns_[index(sample.kind)];
  const std::size_t step = rank.of_kind[index(sample.kind)]++;
  if (step == steps.size()) steps.push_back(0);
  steps[step] = std::max(steps[step], static_cast<double>(sample.host_ns) / sample.steps);
}

std::size_t ArrivedSamples::count() const {
  std::size_t all = 0;
  for (const auto& of_kind : step_ns_) all += of_kind.size();
  return all;
}

void ArrivedSamples::begin_batch() {
  for (auto& [number, rank] : ranks_) rank.before_batch = rank.total;
}

std::string ArrivedSamples::fault_of_batch(int samples) const {
  if (ranks_.empty()) return fmt::format("the worker took 0 samples of {}", samples);
  const auto& [first, reference] = *ranks_.begin();
  for (const auto& [number, rank] : ranks_) {
    const std::size_t came = rank.total - rank.before_batch;
    const std::string who = ranks_.size() == 1 ? "the worker" : fmt::format("rank {}", number);
    if (came != static_cast<std::size_t>(samples))
      return fmt::format("{} took {} samples of {}", who, came, samples);
    if (rank.of_kind != reference.of_kind)
      return fmt::format("ranks {} and {} disagree on which samples count", first, number);
  }
  return {};
}

}  // namespace bench::scheduler
