#include "workloads/model/faults.hpp"

#include <ATen/ops/scaled_dot_product_attention.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "harness/core/error.hpp"

namespace bench::model {
namespace {

enum class Shows { always, with_loss, in_train_step, in_forward, with_two_heads };

struct Row {
  std::string_view name;
  Fault fault;
  Shows shows;
};
constexpr std::array kFaults{
    Row{"zero-output", Fault::zero_output, Shows::always},
    Row{"swapped-heads", Fault::swapped_heads, Shows::with_two_heads},
    Row{"mask-off-by-one", Fault::mask_off_by_one, Shows::always},
    Row{"stale-weight", Fault::stale_weight, Shows::in_train_step},
    Row{"wrong-optimizer", Fault::wrong_optimizer, Shows::in_train_step},
    Row{"stale-output", Fault::stale_output, Shows::in_forward},
    Row{"nan-loss", Fault::nan_loss, Shows::with_loss},
    Row{"drifting-output", Fault::drifting_output, Shows::in_forward},
};

// Empty when the configuration can show it.
std::string_view missing_for(Shows shows, const Configuration& configuration) {
  switch (shows) {
    case Shows::always:
      return "";
    case Shows::with_two_heads:
      return configuration.dimensions.heads < 2 ? "at least two heads" : "";
    case Shows::with_loss:
      return configuration.mode == Mode::forward ? "a mode with a loss" : "";
    case Shows::in_train_step:
      return configuration.mode != Mode::train_step ? "--mode train-step" : "";
    case Shows::in_forward:
      return configuration.mode != Mode::forward ? "--mode forward" : "";
  }
  return "";
}

at::Tensor off_by_one(const AttentionInput& in) {
  const at::Tensor allowed = in.future.triu(2).logical_not();  // key <= query + 1
  return at::scaled_dot_product_attention(in.query, in.key, in.value, allowed);
}

}  // namespace

Fault parse_fault(std::string_view name, const Configuration& configuration) {
  if (name.empty()) return Fault::none;
  const auto row = std::ranges::find(kFaults, name, &Row::name);
  if (row == kFaults.end()) {
    std::string known;
    for (const Row& fault : kFaults) known += fmt::format("{}{}", known.empty() ? "" : ", ", fault.name);
    throw Error(ErrorKind::usage, fmt::format("model knows no fault {}; valid: {}", name, known));
  }
  if (const std::string_view missing = missing_for(row->shows, configuration); !missing.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the fault {} needs {}", name, missing));
  }
  return row->fault;
}

Fault seen_by_check(Fault fault) {
  const bool later =
      fault == Fault::stale_output || fault == Fault::nan_loss || fault == Fault::drifting_output;
  return later ? Fault::none : fault;
}

Attention with_fault(Attention attention, Fault fault) {
  switch (fault) {
    case Fault::zero_output:
      return [attention](const AttentionInput& in) { return attention(in).mul(0); };
    case Fault::swapped_heads:
      return [attention](const AttentionInput& in) { return attention(in).roll(1, 1); };
    case Fault::mask_off_by_one:
      return off_by_one;
    default:
      return attention;
  }
}

void break_new_optimizer(Optimizer& optimizer, Fault fault) {
  if (fault != Fault::stale_weight) return;
  AdamWState& state = optimizer.state();
  state.parameters.pop_back();
  state.first_moments.pop_back();
  state.second_moments.pop_back();
  state.steps.pop_back();
}

void break_before_update(Optimizer& optimizer, Fault fault) {
  if (fault != Fault::wrong_optimizer) return;
  for (const at::Tensor& step : optimizer.state().steps) step.fill_(1e6);  // where 1 - beta^step is 1
}

at::Tensor FaultyOutput::logits(const at::Tensor& right, Fault fault) {
  if (!first_.defined()) first_ = right;
  if (fault == Fault::stale_output) return first_;
  if (fault == Fault::drifting_output) return right.add(0.01 * double(calls_++));
  return right;
}

at::Tensor FaultyOutput::loss(const at::Tensor& right, Fault fault) {
  return fault == Fault::nan_loss ? right.mul(std::numeric_limits<double>::quiet_NaN()) : right;
}

}  // namespace bench::model
