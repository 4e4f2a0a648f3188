#include "workloads/attention/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "workloads/attention/attention.hpp"
#include "workloads/attention/check_bounds.hpp"
#include "workloads/attention/fault_injection.hpp"
#include "workloads/attention/inputs.hpp"
#include "workloads/attention/right_results.hpp"

namespace bench::attention {
namespace {

constexpr std::int64_t kCheckBatch = 2;
constexpr std::int64_t kCheckHeads = 4;
constexpr std::int64_t kCheckLengthCpu = 320;  // more than one of tiled's tiles
constexpr std::int64_t kCheckLengthCuda = 2048;

// The largest length up to `most` that leaves over as much behind its last whole 64 as `length` does.
std::int64_t shortened(std::int64_t length, std::int64_t most) {
  constexpr std::int64_t kTile = 64;
  if (length <= most) return length;
  const std::int64_t rest = length % kTile;
  return most < rest ? std::max<std::int64_t>(1, most) : most - (most - rest) % kTile;
}

}  // namespace

Problem small_version(const Problem& problem, c10::Device device) {
  Problem small = problem;
  small.batch = std::min(problem.batch, kCheckBatch);
  small.heads = std::min(problem.heads, kCheckHeads);
  const std::int64_t most = device.is_cuda() ? kCheckLengthCuda : kCheckLengthCpu;
  const std::int64_t longest = std::max(problem.queries, problem.keys);
  if (longest <= most) return small;
  small.queries = shortened(problem.queries, std::max<std::int64_t>(1, problem.queries * most / longest));
  small.keys = shortened(problem.keys, std::max<std::int64_t>(1, problem.keys * most / longest));
  // Rows that see no key, and they alone, are what is special there.
  const std::int64_t more_keys = problem.keys - problem.queries, half = small.queries / 2;
  const bool kept_order = (more_keys < 0) == (small.keys < small.queries);
  if (problem.causal == Causal::bottom_right && !kept_order)
    small.keys = std::max<std::int64_t>(1, small.queries + std::clamp(more_keys, -half, half));
  return small;
}

Inputs checked_inputs(const Problem& small, std::uint64_t seed, c10::Device device, Layout layout) {
  return random_inputs(small, seed + static_cast<std::uint64_t>(layout), device, layout);
}

worker::Comparisons compare_with_reference(const CheckRequest& request) {
  const Problem small = small_version(request.problem, request.device);
  const Masking masking = masking_of(small, request.device);
  const Attention naive = make_attention("naive", masking);
  const Fault fault = seen_by_check(request.fault);
  const bool is_yardstick = small.implementation == "naive" && fault == Fault::none;

  // One for both layouts, so that an output kept from the first shows in the second.
  const Attention candidate = with_fault(make_attention(small.implementation, masking), fault, masking);

  const auto bounds_of = [&](Quantity quantity) { return bounds(quantity, small.dtype); };
  worker::Comparisons comparisons;
  std::int64_t done = 0;
  for (const Layout layout : kCheckedLayouts) {
    if (request.progress) request.progress("check", done++, std::ssize(kCheckedLayouts));
    const std::string where = layout == Layout::contiguous ? "" : ", transposed inputs";
    const Inputs inputs = checked_inputs(small, request.seed, request.device, layout);
    const RightResults right(small, inputs, masking);
    Deviations of_naive = right.deviations(naive);
    worker::compare_yardstick(comparisons, of_naive, bounds_of,
                              fmt::format("naive, {}: ", to_text(small.dtype)), where);
    if (is_yardstick) continue;
    of_naive.push_back({Quantity::log_sum_exp, "log-sum-exp", right.naive_log_sum_exp_error()});
    worker::compare_candidate(comparisons, right.deviations(candidate), of_naive, bounds_of, where);
  }
  if (request.progress) request.progress("check", done, done);
  return comparisons;
}

Check check_attention(const CheckRequest& request) {
  return compare_with_reference(request).check();
}

}  // namespace bench::attention
