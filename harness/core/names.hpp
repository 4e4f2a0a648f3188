#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

// The names of an enumeration's values, in the order in which people are told them.
template <class Enum, std::size_t Count>
using Names = std::array<std::pair<Enum, std::string_view>, Count>;

template <class Enum, std::size_t Count>
constexpr std::string_view name_of(const Names<Enum, Count>& names, Enum value) {
  const auto row = std::ranges::find(names, value, &std::pair<Enum, std::string_view>::first);
  return row == names.end() ? "?" : row->second;
}

template <class Enum, std::size_t Count>
constexpr std::optional<Enum> value_of(const Names<Enum, Count>& names, std::string_view name) {
  const auto row = std::ranges::find(names, name, &std::pair<Enum, std::string_view>::second);
  return row == names.end() ? std::nullopt : std::optional(row->first);
}

template <class Enum, std::size_t Count>
std::vector<std::string> all_names(const Names<Enum, Count>& names) {
  std::vector<std::string> all;
  for (const auto& [value, name] : names) all.emplace_back(name);
  return all;
}

}  // namespace bench
