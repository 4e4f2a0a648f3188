#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/policy.hpp"
#include "harness/core/result.hpp"
#include "harness/machine/machine.hpp"

// What a workload says about itself without LibTorch: linked into `bench` (to list, plan, refuse) and into
// the workers.
namespace bench::registry {

// A ready sweep: axis lists by option name, common options (warmup, steps) among them. Options on the line
// override it.
struct Preset {
  std::string name;
  std::string summary;
  std::vector<std::pair<std::string, std::string>> options;  // {"size", "small,medium"}, {"warmup", "10"}
  // What this build lacks for it: "--checkpoint, which this build does not have". Empty: it can be run.
  std::string lacking = {};
};

struct UsageError {
  std::string parameter;  // the option at fault, without dashes; empty when it is about several
  std::string sentence;   // "d-model 770 is not divisible by heads 12; the nearest that is are 768 and 780"
};

struct Support {
  bool yes = true;
  std::string reason;
};

// Bytes of tensors at the peak of a step, by formula; categories as in MemoryReport.
struct MemoryPrediction {
  std::vector<std::pair<std::string, std::int64_t>> peak_by_category;
  std::int64_t peak_bytes() const {
    std::int64_t sum = 0;
    for (const auto& [category, bytes] : peak_by_category) sum += bytes;
    return sum;
  }
};

struct WorkloadSpec {
  std::string name;
  std::string summary;
  Timing default_timing = Timing::blocking;
  Headline headline = Headline::host_time;
  std::vector<Parameter> parameters;  // declared order = order in the case id
  std::vector<Preset> presets;

  // Rewrites a case into its one canonical form, given which parameters the person named. Optional.
  std::function<void(Case&, const std::set<std::string>& named)> canonicalize;
  // What can never work, anywhere. Empty: fine.
  std::function<std::vector<UsageError>(const Case&)> validate;
  // What cannot work on this device: becomes a skipped row.
  std::function<Support(const Case&, const std::string& device, const machine::Machine&)> supports;
  // Which program runs a case: "" (or no function) is the native worker.
  std::function<std::string(const Case&)> program;
  // Of a case that another program runs: the native case whose small version, weights and fp64 reference that
  // program is checked against. Equal for all cases that can share one.
  std::function<Case(const Case&)> reference_case;
  // Of a case that another program runs: the same with everything stated that follows from its values by this
  // workload's own rules (the dimensions of a named size), so that no other program needs to know them.
  std::function<Case(const Case&)> spell_out;
  std::function<Work(const Case&)> work;
  // How long a step takes, where the parameters say so; without it durations are guessed from `work`.
  std::function<std::optional<double>(const Case&)> step_s;
  // How long a case compiles before its check and its first step, roughly: only estimates of durations hold
  // it. Without this function: not at all.
  std::function<double(const Case&)> compile_s;
  // What a case needs, within kMemoryDoubt (memory_fit.hpp); nullopt: no formula covers it.
  std::function<std::optional<MemoryPrediction>(const Case&, const std::string& device)> memory;
  // Why a case cannot show this deliberate mistake (--inject-fault), with the nearest name; nullopt: it can.
  // Without this function a workload has no faults.
  std::function<std::optional<std::string>(const Case&, std::string_view fault)> refuse_fault;
  // What its matrix products are computed in: "fp32" (IEEE), "tf32", "bf16", "fp16", "fp64"; decides which of
  // the GPU's peaks the work is held against. Empty, or no function: none.
  std::function<std::string(const Case&)> arithmetic;
  // Exact facts of a case, shown as columns: {"parameters", "1", 128625408}.
  std::function<std::vector<Summary>(const Case&)> quantities;
  // The columns that a case's memory makes. Without this function: the peak of the step.
  std::function<std::vector<Summary>(const Case&, const MemoryReport&)> memory_columns;
};

}  // namespace bench::registry
