#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/worker/workload.hpp"
#include "tests/support/idle_device.hpp"
#include "workloads/attention/case_rules.hpp"

// A problem of milliseconds, and stand-ins for what a worker gives to a workload.
namespace bench::attention {

// batch 2, heads 2, d-head 16, sequence 48, causal, fp32, naive, forward-backward.
inline Case small_case(const std::vector<std::pair<std::string, Value>>& changes = {}) {
  Case small{.workload = "attention",
             .values = {{"batch", std::int64_t{2}},
                        {"heads", std::int64_t{2}},
                        {"d-head", std::int64_t{16}},
                        {"sequence", std::int64_t{48}},
                        {"causal", "yes"},
                        {"dtype", "fp32"},
                        {"implementation", "naive"},
                        {"mode", "forward-backward"}}};
  for (const auto& [name, value] : changes) small.set(name, value);
  canonicalize(small, {});
  return small;
}

class PhaseList final : public worker::Phases {
 public:
  void begin(int index) override { begun.push_back(index); }
  void end() override {}
  std::vector<int> begun;
};

}  // namespace bench::attention
