#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/core/status.hpp"
#include "harness/machine/machine.hpp"
#include "harness/registry/expand.hpp"
#include "harness/registry/workload_spec.hpp"
#include "harness/scheduler/run_case.hpp"

namespace bench::scheduler {

struct Sweep {
  const registry::WorkloadSpec* spec = nullptr;
  std::vector<registry::PlannedCase> cases;
  std::string device;
  std::string gpu_name;  // as its driver gives it; empty on the CPU, and where it is not known
  machine::Machine machine;
  registry::MemoryRoom room;  // for the tensors of one case
  RunCaseOptions case_options;
  // Programs that cannot serve here, each with the remedy: their cases are skipped rows.
  std::map<std::string, std::string> unavailable;
  std::string check_path = {};  // where the native worker leaves what a peer checks itself against
  int repetitions = 1;          // of all cases, each in fresh processes
  // What an earlier part of this run has done already, by place. nullopt: nothing was to be measured there,
  // as it is `max` and came to another row.
  std::unordered_map<std::size_t, std::optional<Status>> finished = {};

  // A place is one measurement: all cases in order, and then again for each repetition.
  std::size_t size() const { return cases.size() * static_cast<std::size_t>(repetitions); }
};

// What a result is of: a case id, and which of its repetitions.
std::string case_key(const Case& configuration, int repetition);

// WorkloadSpec::program.
std::string program_of(const Sweep& sweep, const Case& configuration);

// How a case ends that nobody needs to try here: skipped, or out of memory beyond doubt. nullopt: try it.
struct Refusal {
  Status status = Status::skipped;
  Remark reason;
};
std::optional<Refusal> refusal(const Sweep& sweep, const registry::PlannedCase& planned);
// Whether there is one: without its sentence, for which much is computed.
bool is_refused(const Sweep& sweep, const registry::PlannedCase& planned);

// Whether a result is a refusal for want of memory: nothing was tried, and where more can be had it may be.
bool was_predicted_not_to_fit(const CaseResult& result);

// Which programs the cases need that can run here; "" among them unless there is none: peers need it for
// their check.
std::set<std::string> programs_of(const Sweep& sweep);

}  // namespace bench::scheduler
