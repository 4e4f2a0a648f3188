#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/parameter.hpp"

namespace bench {

// What a remark is about. Programs ask the code, people read the sentence that remark.cpp has for it.
enum class RemarkCode {
  said,  // by a worker, a workload or another tool: text and nothing else

  // why sampling ended
  steps_taken,  // as many as were asked for
  interval_reached,
  most_samples_taken,
  budget_used,

  // why a case is not ok
  graph_needs_cuda,
  predicted_not_to_fit,
  out_of_memory,
  worker_ended,
  timed_out,
  other_answer,
  other_slot,
  not_prepared,
  wrong_result,
  samples_missing,
  check_not_made,
  mostly_replaced,
  check_lost,
  reference_failed,
  reference_timed_out,
  faster_than_light,

  // what makes a number doubtful
  warm_up_cut,
  warm_up_extended,
  pass_failed,
  pass_not_made,
  memory_not_released,
  harness_share,
  samples_resemble,
  outliers,
  samples_replaced,
  time_stolen,
  quota_reached,
  driver_allocations,
  gpu_slowed,
  gpu_shared,
  value_not_finite,
  counter_rounded,

  // what explains one
  device_times,
  mfu_peak,
  no_mfu,
  host_bound,
  power_capped,
  max_is_largest,
  max_came_down,
  max_as_before,
};

std::string_view to_text(RemarkCode code);
std::optional<RemarkCode> remark_code_from_text(std::string_view text);

using RemarkValues = std::vector<std::pair<std::string, Value>>;

// Something worth saying about a case: why it ended, a warning, a note.
struct Remark {
  RemarkCode code = RemarkCode::said;
  std::string text;     // the sentence; empty: nothing is to be said
  RemarkValues values;  // those in it, by name; a name ends in its unit: {"slowest_ns", 89'800}

  bool empty() const { return text.empty(); }
  bool operator==(const Remark&) const = default;
};

// The code's sentence with these values. Throws fmt::format_error, a bug of the caller, where one is missing.
Remark remark(RemarkCode code, RemarkValues values = {});
Remark said(std::string text);

}  // namespace bench
