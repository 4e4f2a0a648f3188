#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "harness/scheduler/clock.hpp"
#include "harness/scheduler/run_case.hpp"

namespace bench::scheduler {

// What lies ahead of a run.
struct RunExpectation {
  std::size_t cases = 0, finished = 0;  // finished: by an earlier part of this run
  double expected_s = 0;
  double at_most_s = 0;            // of warm-up and samples, by their budgets
  std::size_t beyond_timeout = 0;  // cases that are expected to outlast --timeout
};

// "; 2 of them are likely to outlast --timeout", or nothing for none.
std::string beyond_timeout_text(std::size_t cases);

// What is expected of one case, and of all cases after it.
struct CaseExpectation {
  double case_s = 0, after_s = 0;
};

// Told how a run goes on; shows it to a person.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void begin_run(const RunExpectation& expectation) = 0;
  virtual void begin_case(std::size_t place, const std::string& id, const CaseExpectation& expectation) = 0;
  virtual void state(const CaseState& state) = 0;
  virtual void end_case(const CaseResult& result, double after_s) = 0;
  virtual void note(const std::string& sentence) = 0;  // a line that stays
};

// Where lines go, and how wide it is.
class Terminal {
 public:
  virtual ~Terminal() = default;
  virtual void write(const std::string& text) = 0;
  virtual std::size_t columns() = 0;  // asked anew for each line: people resize windows
};

// One live line on a terminal that can overwrite it: [2/6] id, phase 3/10, median so far, time left.
std::unique_ptr<Progress> make_live_progress(Terminal& terminal, Clock& clock);
// One line for each finished case: for logs, pipes and dumb terminals.
std::unique_ptr<Progress> make_plain_progress(Terminal& terminal, Clock& clock);
// Nothing.
std::unique_ptr<Progress> make_quiet_progress();

}  // namespace bench::scheduler
