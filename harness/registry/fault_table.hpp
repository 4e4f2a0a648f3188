#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::registry {

// The deliberate mistakes of a workload (--inject-fault), by name. `Row` has the members name and fault, an
// enumeration with a value `none`, and whatever else the workload knows of each.
template <class Row, std::size_t Count>
struct FaultTable {
  using Fault = decltype(Row::fault);

  std::string_view workload;
  std::array<Row, Count> rows;

  // Why a case cannot show that fault: an unknown name (with the nearest), or what `why_not(row)` says.
  // nullopt: it can; "" is no fault.
  template <class WhyNot>
  std::optional<std::string> refusal(std::string_view name, const WhyNot& why_not) const {
    if (name.empty()) return std::nullopt;
    if (const Row* const row = find(name)) return why_not(*row);
    std::vector<std::string> names;
    for (const Row& row : rows) names.emplace_back(row.name);
    return fmt::format("{} knows no fault \"{}\"{}", workload, printable(name), did_you_mean(name, names));
  }

  // "" is none. Throws Error(usage) with the refusal's sentence.
  template <class WhyNot>
  Fault parse(std::string_view name, const WhyNot& why_not) const {
    if (name.empty()) return Fault::none;
    if (const auto sentence = refusal(name, why_not)) throw Error(ErrorKind::usage, *sentence);
    return find(name)->fault;
  }

 private:
  const Row* find(std::string_view name) const {
    const auto row = std::ranges::find(rows, name, &Row::name);
    return row == rows.end() ? nullptr : &*row;
  }
};

// Of what a case would need to show a fault; empty: nothing.
inline std::optional<std::string> fault_needs(std::string_view fault, std::string_view missing) {
  if (missing.empty()) return std::nullopt;
  return fmt::format("the fault {} needs {}", fault, missing);
}

}  // namespace bench::registry
