#include "workloads/model/fault_names.hpp"

#include <array>

#include "harness/registry/fault_table.hpp"

namespace bench::model {
namespace {

enum class Shows { always, with_loss, in_train_step, in_forward, with_two_heads };

struct Row {
  std::string_view name;
  Fault fault;
  Shows shows;
};
constexpr registry::FaultTable kFaults{
    "model", std::array{
                 Row{"zero-output", Fault::zero_output, Shows::always},
                 Row{"swapped-heads", Fault::swapped_heads, Shows::with_two_heads},
                 Row{"mask-off-by-one", Fault::mask_off_by_one, Shows::always},
                 Row{"stale-weight", Fault::stale_weight, Shows::in_train_step},
                 Row{"wrong-optimizer", Fault::wrong_optimizer, Shows::in_train_step},
                 Row{"stale-output", Fault::stale_output, Shows::in_forward},
                 Row{"nan-loss", Fault::nan_loss, Shows::with_loss},
                 Row{"drifting-output", Fault::drifting_output, Shows::in_forward},
             }};

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

auto refusal_by(const Configuration& configuration) {
  return
      [&](const Row& row) { return registry::fault_needs(row.name, missing_for(row.shows, configuration)); };
}

}  // namespace

std::optional<std::string> refuse_fault(std::string_view name, const Configuration& configuration) {
  return kFaults.refusal(name, refusal_by(configuration));
}

Fault parse_fault(std::string_view name, const Configuration& configuration) {
  return kFaults.parse(name, refusal_by(configuration));
}

Fault seen_by_check(Fault fault) {
  const bool later =
      fault == Fault::stale_output || fault == Fault::nan_loss || fault == Fault::drifting_output;
  return later ? Fault::none : fault;
}

}  // namespace bench::model
