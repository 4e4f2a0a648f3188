#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/core/policy.hpp"
#include "harness/core/result.hpp"
#include "harness/worker/device.hpp"

namespace bench::worker {

// Where a step says that one phase ends and the next begins. Boundaries never synchronise: the device marks
// them.
class Phases {
 public:
  virtual ~Phases() = default;
  // Ends the phase that is open, if any, and opens phase `index` of Workload::phase_names().
  virtual void begin(int index) = 0;
  virtual void end() = 0;
};

// Phases that nobody measures: of steps inside a graph, and of those before its capture.
class NoPhases final : public Phases {
 public:
  void begin(int) override {}
  void end() override {}
};

class Ranks;

// Told about long work in set-up and check, so that progress can be shown.
using ProgressSink = std::function<void(std::string_view phase, std::int64_t done, std::int64_t total)>;

struct Setup {
  Case configuration;
  std::uint64_t seed = 0;
  Timing timing = Timing::blocking;  // graph: keep all state that a step changes on the device
  Headline headline = Headline::host_time;
  std::string inject_fault;  // empty: none
  Device* device = nullptr;  // outlives the workload
  ProgressSink progress;
  Ranks* ranks = nullptr;  // of a case with a parameter `ranks` above 1; outlives the workload (ranks.hpp)
};

// Thrown by a workload, in any phase, for a case that cannot run here although its specification saw nothing
// against it: the library refuses. Becomes a skipped row.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One prepared case in one slot. Constructed seeded and untimed; throws c10::Error, bench::Error or
// std::exception, which become a status with a reason. Order of calls: check, prepare_timed, (before_sample,
// step...)..., verify, observe; for a graph capture follows prepare_timed: (before_sample, step)... and
// captured_step once.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual std::vector<std::string> phase_names() const = 0;
  // Runs a small version of the case against its reference. Frees what it used.
  virtual Check check() = 0;
  // Builds the state that is timed. After check(), so that the check's memory never counts.
  virtual void prepare_timed() = 0;
  virtual void before_sample() {}  // untimed, before each sample
  virtual void step(Phases& phases) = 0;
  // The same step, recorded into a graph and never run here. What verify() looks at has to live on the
  // device.
  virtual void captured_step() {
    NoPhases none;
    step(none);
  }
  // Asked after each sample, untimed: whether it did less than it should, so that its time counts for
  // nothing.
  virtual bool sample_fell_short() { return false; }
  virtual Check verify() = 0;
  // What explains this case's numbers, asked for after verify(): which kernels ran.
  virtual std::vector<std::string> notes() { return {}; }
  // Leaves at `path` what another program's implementation of the same case checks itself against: README.md
  // of the workload says what. A workload without such programs throws.
  virtual void write_check(const std::string& path);
  // One step in the memory pass. A workload with categories installs what it needs around it.
  virtual void observed_step(Phases& phases) { step(phases); }
};

using WorkloadFactory = std::unique_ptr<Workload> (*)(const Setup&);

// One static object per implementation file, its name equal to the spec's.
class WorkloadRegistration {
 public:
  WorkloadRegistration(std::string name, WorkloadFactory factory);
};

// nullptr when there is none of that name.
WorkloadFactory find_workload_factory(std::string_view name);

}  // namespace bench::worker
