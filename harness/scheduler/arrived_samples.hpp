#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/sample.hpp"

namespace bench::scheduler {

// The samples of one case as its ranks send them, for the decisions that are taken while it runs. The n-th
// samples of all ranks are of the same steps, and a step lasts as long as its slowest rank.
class ArrivedSamples {
 public:
  void add(const Sample& sample);

  // Of one step, in time order; of the slowest rank among those that have sent it so far.
  const std::vector<double>& step_ns(SampleKind kind) const { return step_ns_[index(kind)]; }
  std::size_t count(SampleKind kind) const { return step_ns(kind).size(); }
  std::size_t count() const;
  std::optional<std::int64_t> first_host_ns() const { return first_host_ns_; }

  // What each rank sends from here on answers one command.
  void begin_batch();
  // Why that is not what `samples` steps of each rank would be, one clause; empty: it is.
  std::string fault_of_batch(int samples) const;

 private:
  static constexpr std::size_t kKinds = 3;
  static std::size_t index(SampleKind kind) { return static_cast<std::size_t>(kind); }
  struct Rank {
    std::array<std::size_t, kKinds> of_kind{};
    std::size_t total = 0, before_batch = 0;
  };

  std::array<std::vector<double>, kKinds> step_ns_;
  std::map<int, Rank> ranks_;
  std::optional<std::int64_t> first_host_ns_;
};

}  // namespace bench::scheduler
