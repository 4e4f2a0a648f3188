#include "workloads/model/configuration.hpp"

#include "harness/registry/parameters.hpp"

namespace bench::model {
std::string_view to_text(Mode mode) {
  return name_of(kModes, mode);
}

std::string_view to_text(Precision precision) {
  return precision == Precision::fp64 ? "fp64" : name_of(kPrecisions, precision);
}

Configuration configuration_of(const Case& configuration) {
  Configuration result;
  result.dimensions = dimensions_of(configuration);
  result.mode = registry::chosen(configuration, "mode", kModes);
  result.precision = registry::chosen(configuration, "precision", kPrecisions);
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
