#include "harness/core/summary.hpp"

#include <array>
#include <utility>

namespace bench {
namespace {

constexpr std::array<std::pair<Quantity, std::string_view>, 8> kNames{{
    {Quantity::time, "time"},
    {Quantity::rate, "rate"},
    {Quantity::share, "share"},
    {Quantity::memory, "memory"},
    {Quantity::traffic, "traffic"},
    {Quantity::arithmetic, "arithmetic"},
    {Quantity::kernels, "kernels"},
    {Quantity::count, "count"},
}};

}  // namespace

std::string_view to_text(Quantity quantity) {
  for (const auto& [value, name] : kNames)
    if (value == quantity) return name;
  return "count";
}

std::optional<Quantity> quantity_from_text(std::string_view text) {
  for (const auto& [value, name] : kNames)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace bench
