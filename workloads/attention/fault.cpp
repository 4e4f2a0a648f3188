#include "workloads/attention/fault.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "workloads/attention/variants.hpp"

namespace bench::attention {
namespace {

struct Row {
  std::string_view name;
  Fault fault;
  bool in_peer = true;  // workloads/peers/torch_attention_slot.py has it too
};
constexpr std::array kFaults{
    Row{"zero-output", Fault::zero_output},
    Row{"wrong-scale", Fault::wrong_scale},
    Row{"mask-off-by-one", Fault::mask_off_by_one},
    Row{"swapped-heads", Fault::swapped_heads},
    Row{"stale-lse", Fault::stale_log_sum_exp, false},
    Row{"unwritten-row", Fault::unwritten_row, false},
    Row{"stale-output", Fault::stale_output, false},
    Row{"drifting-output", Fault::drifting_output, false},
};

// Empty when the problem can show it.
std::string_view missing_for(Fault fault, const Problem& problem) {
  const bool one_key = std::min(problem.queries, problem.keys) < 2;
  // The most that a query sees.
  const std::int64_t visible =
      problem.causal == Causal::yes ? std::min(problem.queries, problem.keys) : problem.keys;
  switch (fault) {
    case Fault::wrong_scale:
      return visible < 2 ? "a query that sees at least two keys" : "";
    case Fault::drifting_output:
      return problem.mode == Mode::backward ? "a mode with a forward" : "";
    case Fault::mask_off_by_one:
      return problem.causal == Causal::no || one_key ? "--causal yes and at least two queries and keys" : "";
    case Fault::swapped_heads:
      return problem.heads < 2 ? "at least two --heads" : "";
    case Fault::stale_log_sum_exp: {
      const auto variant = std::ranges::find(kVariants, problem.implementation, &Variant::name);
      return variant == kVariants.end() || !variant->returns_log_sum_exp
                 ? "an implementation that returns a log-sum-exp: --implementation tiled"
                 : "";
    }
    default:
      return "";
  }
}

const Row* find(std::string_view name) {
  const auto row = std::ranges::find(kFaults, name, &Row::name);
  return row == kFaults.end() ? nullptr : &*row;
}

}  // namespace

std::optional<std::string> refuse_fault(std::string_view name, const Problem& problem) {
  if (name.empty()) return std::nullopt;
  const Row* const row = find(name);
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const Row& fault : kFaults) names.emplace_back(fault.name);
    return fmt::format("attention knows no fault \"{}\"{}", printable(name), did_you_mean(name, names));
  }
  if (problem.implementation == kTorchCompile.name && !row->in_peer)
    return fmt::format("the Python peer has no fault {}", name);
  const std::string_view missing = missing_for(row->fault, problem);
  if (missing.empty()) return std::nullopt;
  return fmt::format("the fault {} needs {}", name, missing);
}

Fault parse_fault(std::string_view name, const Problem& problem) {
  if (name.empty()) return Fault::none;
  if (const auto refusal = refuse_fault(name, problem)) throw Error(ErrorKind::usage, *refusal);
  return find(name)->fault;
}

Fault seen_by_check(Fault fault) {
  return fault == Fault::drifting_output ? Fault::none : fault;
}

}  // namespace bench::attention
