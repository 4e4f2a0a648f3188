#include "workloads/attention/fault_names.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/registry/fault_table.hpp"
#include "workloads/attention/variants.hpp"

namespace bench::attention {
namespace {

struct Row {
  std::string_view name;
  Fault fault;
  bool in_peer = true;  // workloads/peers/torch_attention_slot.py has it too
};
constexpr registry::FaultTable kFaults{"attention", std::array{
                                                        Row{"zero-output", Fault::zero_output},
                                                        Row{"wrong-scale", Fault::wrong_scale},
                                                        Row{"mask-off-by-one", Fault::mask_off_by_one},
                                                        Row{"swapped-heads", Fault::swapped_heads},
                                                        Row{"stale-lse", Fault::stale_log_sum_exp, false},
                                                        Row{"unwritten-row", Fault::unwritten_row, false},
                                                        Row{"stale-output", Fault::stale_output, false},
                                                        Row{"drifting-output", Fault::drifting_output, false},
                                                    }};

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

auto refusal_by(const Problem& problem) {
  return [&](const Row& row) -> std::optional<std::string> {
    if (problem.implementation == kTorchCompile.name && !row.in_peer)
      return fmt::format("the Python peer has no fault {}", row.name);
    return registry::fault_needs(row.name, missing_for(row.fault, problem));
  };
}

}  // namespace

std::optional<std::string> refuse_fault(std::string_view name, const Problem& problem) {
  return kFaults.refusal(name, refusal_by(problem));
}

Fault parse_fault(std::string_view name, const Problem& problem) {
  return kFaults.parse(name, refusal_by(problem));
}

Fault seen_by_check(Fault fault) {
  return fault == Fault::drifting_output ? Fault::none : fault;
}

}  // namespace bench::attention
