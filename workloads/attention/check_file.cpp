#include "workloads/attention/check_file.hpp"

#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/worker/safetensors.hpp"
#include "workloads/attention/verification.hpp"

namespace bench::attention {

void write_check_file(const CheckRequest& request, const std::string& path) {
  const Problem small = small_version(request.problem, request.device);
  const Masking masking = masking_of(small, request.device);
  const Attention naive = make_attention("naive", masking);
  const auto bounds_of = [&](Quantity quantity) { return bounds(quantity, small.dtype); };
  worker::NamedTensors file;
  for (std::size_t n = 0; n < kCheckedLayouts.size(); ++n) {
    const Inputs inputs = checked_inputs(small, request.seed, request.device, kCheckedLayouts[n]);
    const RightResults right(small, inputs, masking);
    const Deviations of_naive = right.deviations(naive);
    worker::Comparisons comparisons;
    worker::compare_yardstick(comparisons, of_naive, bounds_of, "naive: ");
    if (const Check check = comparisons.check(); !check.passed)
      throw Error(ErrorKind::internal, "the yardstick of the check is off: " + check.reason);
    std::vector<double> allowed;
    for (const auto& deviation : of_naive) allowed.push_back(worker::allowed(deviation, bounds_of));
    const auto add = [&](const char* name, const at::Tensor& tensor) {
      if (tensor.defined()) file.emplace_back(fmt::format("{}.{}", n, name), tensor.contiguous());
    };
    add("query", inputs.query);
    add("key", inputs.key);
    add("value", inputs.value);
    add("d_output", inputs.d_output);
    add("output", right.reference().output);
    add("d_query", right.reference().d_query);
    add("d_key", right.reference().d_key);
    add("d_value", right.reference().d_value);
    add("allowed", at::tensor(allowed, at::kDouble));
  }
  const AllowedAfterTiming allowed = allowed_after_timing(request.problem);
  file.emplace_back(
      "verification",
      at::tensor(std::vector<double>{allowed.output, allowed.d_query, allowed.d_key_value}, at::kDouble));
  worker::write_safetensors(path, file);
}

}  // namespace bench::attention
