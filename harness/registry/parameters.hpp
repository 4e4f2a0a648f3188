#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/core/case.hpp"

// What a workload's list of parameters is made of. Where `by_default` is empty the parameter is absent unless
// given.
namespace bench::registry {

inline Parameter choice(std::string name, std::string help, std::vector<std::string> choices,
                        std::string by_default) {
  return {.name = std::move(name),
          .help = std::move(help),
          .kind = ParameterKind::choice,
          .choices = std::move(choices),
          .default_value = by_default,
          .absent_means = by_default};
}

inline Parameter count(std::string name, std::string help, std::string by_default, double maximum,
                       std::string unit = "", double minimum = 1) {
  return {.name = std::move(name),
          .help = std::move(help),
          .unit = std::move(unit),
          .kind = ParameterKind::integer,
          .default_value = by_default,
          .absent_means = by_default,
          .minimum = minimum,
          .maximum = maximum};
}

inline Parameter with_max(Parameter parameter) {
  parameter.help += "; max: the largest power of two that fits";
  parameter.has_max = true;
  return parameter;
}

}  // namespace bench::registry
