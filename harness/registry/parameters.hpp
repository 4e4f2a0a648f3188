#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/core/case.hpp"
#include "harness/core/error.hpp"
#include "harness/core/names.hpp"

// What a workload's list of parameters is made of, and how its cases are read. Where `by_default` is empty
// the parameter is absent unless given.
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

inline Parameter real(std::string name, std::string help, std::string by_default, double minimum,
                      double maximum) {
  return {.name = std::move(name),
          .help = std::move(help),
          .kind = ParameterKind::real,
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

// Of a table whose rows have a name and a summary: "naive", "tiled" ...
template <class Rows>
std::vector<std::string> row_names(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

// "naive (softmax ...), tiled (...)"
template <class Rows>
std::string described(const Rows& rows) {
  std::string text;
  for (const auto& row : rows)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", row.name, row.summary);
  return text;
}

// What a case has for a parameter with named values. Throws Error(internal) for a name that the parameter
// does not offer: the command line has refused it before.
template <class Enum, std::size_t Count>
Enum chosen(const Case& configuration, std::string_view parameter, const Names<Enum, Count>& names) {
  if (const auto value = value_of(names, configuration.text(parameter))) return *value;
  throw Error(ErrorKind::internal, fmt::format("{} knows no {} {}", configuration.workload, parameter,
                                               configuration.text(parameter)));
}

}  // namespace bench::registry
