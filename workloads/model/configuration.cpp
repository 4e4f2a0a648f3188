#include "workloads/model/configuration.hpp"

#include <fmt/format.h>

#include <array>

#include "harness/core/error.hpp"

namespace bench::model {
namespace {

template <typename Choice, std::size_t Count>
Choice choice_of(const Case& configuration, std::string_view parameter,
                 const std::array<Choice, Count>& choices) {
  for (const Choice choice : choices) {
    if (to_text(choice) == configuration.text(parameter)) return choice;
  }
  throw Error(ErrorKind::internal,
              fmt::format("model knows no {} {}", parameter, configuration.text(parameter)));
}

}  // namespace

std::string_view to_text(Mode mode) {
  switch (mode) {
    case Mode::forward:
      return "forward";
    case Mode::forward_backward:
      return "forward-backward";
    case Mode::train_step:
      return "train-step";
  }
  return "?";
}

std::string_view to_text(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::tf32:
      return "tf32";
    case Precision::bf16_mixed:
      return "bf16-mixed";
    case Precision::fp16_mixed:
      return "fp16-mixed";
    case Precision::bf16:
      return "bf16";
    case Precision::fp64:
      return "fp64";
  }
  return "?";
}

Configuration configuration_of(const Case& configuration) {
  Configuration result;
  result.dimensions = dimensions_of(configuration);
  result.mode =
      choice_of(configuration, "mode", std::array{Mode::forward, Mode::forward_backward, Mode::train_step});
  result.precision = choice_of(configuration, "precision", kPrecisions);
  result.attention = configuration.text("attention");
  if (result.mode == Mode::train_step) {
    result.optimizer = configuration.text("optimizer");
    result.adamw = {.lr = configuration.real("lr"),
                    .beta1 = configuration.real("beta1"),
                    .beta2 = configuration.real("beta2"),
                    .eps = configuration.real("eps"),
                    .weight_decay = configuration.real("weight-decay")};
  }
  return result;
}

}  // namespace bench::model
