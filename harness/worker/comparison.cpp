#include "harness/worker/comparison.hpp"

#include <ATen/ops/linalg_vector_norm.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace bench::worker {
namespace {

double norm(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor.to(at::kDouble)).item<double>();
}

}  // namespace

double relative_error(const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor wide = reference.to(at::kDouble);
  const double difference = norm(value.to(at::kDouble).sub(wide));
  return difference == 0 ? 0 : difference / norm(wide);
}

double loss_error(double value, double reference) {
  return value == reference ? 0 : std::abs(value - reference) / std::max(std::abs(reference), 1.0);
}

double joint_norm(const std::vector<at::Tensor>& tensors) {
  double squares = 0;
  for (const at::Tensor& tensor : tensors) squares += std::pow(norm(tensor), 2);
  return std::sqrt(squares);
}

double gradient_error(const at::Tensor& value, const at::Tensor& reference, double whole) {
  if (norm(reference) > 1e-6 * whole) return relative_error(value, reference);
  return norm(value.to(at::kDouble).sub(reference)) / whole;
}

void Comparisons::add(std::string what, double error, double allowed) {
  if (!std::isfinite(error)) error = std::numeric_limits<double>::max();
  if (!std::isfinite(allowed)) allowed = 0;
  items_.push_back({std::move(what), error, allowed});
}

Check Comparisons::check(std::size_t most) const {
  std::vector<CheckItem> items = items_;
  std::ranges::stable_sort(items, std::greater<>{},
                           [](const CheckItem& item) { return item.error / item.allowed; });
  Check check;
  const auto wrong =
      std::ranges::count_if(items, [](const CheckItem& item) { return item.error > item.allowed; });
  if (wrong > 0) {
    const CheckItem& worst = items.front();
    const std::string how = worst.error == std::numeric_limits<double>::max()
                                ? "is not a number or infinitely far off"
                                : fmt::format("has a relative error of {:.2g}", worst.error);
    check.passed = false;
    check.reason = fmt::format("{} {}; {:.2g} is allowed ({} of {} comparisons failed)", worst.what, how,
                               worst.allowed, wrong, items.size());
  }
  if (items.size() > most) items.resize(most);
  check.items = std::move(items);
  return check;
}

}  // namespace bench::worker
