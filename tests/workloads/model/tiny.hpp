#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/worker/workload.hpp"
#include "tests/support/idle_device.hpp"
#include "workloads/model/case_rules.hpp"
#include "workloads/model/definition.hpp"

// A model small enough for milliseconds, and stand-ins for what a worker gives to a workload.
namespace bench::model {

// d-model 32, d-ff 64, 2 layers, 4 heads, vocabulary 61, context 12, batch 2, canonical.
inline Case tiny_case(const std::vector<std::pair<std::string, Value>>& changes = {}) {
  Case tiny{.workload = "model",
            .values = {{"size", "custom"},
                       {"d-model", std::int64_t{32}},
                       {"d-ff", std::int64_t{64}},
                       {"layers", std::int64_t{2}},
                       {"heads", std::int64_t{4}},
                       {"vocabulary", std::int64_t{61}},
                       {"context", std::int64_t{12}},
                       {"batch", std::int64_t{2}},
                       {"mode", "train-step"},
                       {"precision", "fp32"},
                       {"attention", "naive"},
                       {"implementation", "eager"},
                       {"optimizer", "adamw"},
                       {"loss", "naive"},
                       {"lr", 1e-3},
                       {"beta1", 0.9},
                       {"beta2", 0.999},
                       {"eps", 1e-8},
                       {"weight-decay", 0.01}}};
  for (const auto& [name, value] : changes) tiny.set(name, value);
  canonicalize(tiny, {"size", "d-model", "d-ff", "layers", "heads"});
  return tiny;
}

// Writes down the order of phases.
class RecordedPhases final : public worker::Phases {
 public:
  void begin(int index) override { begun.push_back(index); }
  void end() override { ++ended; }
  std::vector<int> begun;
  int ended = 0;
};

}  // namespace bench::model
