#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "harness/core/result.hpp"
#include "harness/scheduler/sweep.hpp"

namespace bench::scheduler {

// What becomes of the rows that were asked for with `max` in the course of a sweep: each comes down until a
// case does not run out of memory. A case that is another row of the same repetition counts with what became
// of that row, and is not measured twice; so such rows are the last of a sweep.
class Maxima {
 public:
  explicit Maxima(const Sweep& sweep);

  void begin_repetition() { ended_.clear(); }

  // The row as this repetition begins with it: where an earlier one has found what fits, with that.
  registry::PlannedCase planned(std::size_t index) const;

  // Brings it down past what has run out of memory as another row. True: what it comes to is another row,
  // and nothing is left to measure.
  bool is_answered(registry::PlannedCase& planned) const;

  // To be called for every row that has a result, finished earlier or now, in their order.
  void end(std::size_t index, const Case& configuration, Status status);

  // What a result of the row says of `max`, having been `first` before anything was tried; nullopt: nothing.
  std::optional<Remark> note(std::size_t index, const registry::PlannedCase& first,
                             const CaseResult& result) const;

 private:
  const Sweep& sweep_;
  std::unordered_map<std::string, std::size_t> first_;  // id that a row of `max` begins with -> its index
  std::unordered_map<std::string, Status> ended_;       // by id, in this repetition
  std::unordered_map<std::size_t, Case> found_;         // by index, in an earlier repetition or this
};

}  // namespace bench::scheduler
