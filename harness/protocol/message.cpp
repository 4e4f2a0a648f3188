#include "harness/protocol/message.hpp"

#include <array>
#include <utility>

namespace bench::protocol {
namespace {

constexpr std::array<std::pair<Pass, std::string_view>, 3> kPasses{{
    {Pass::memory, "memory"},
    {Pass::trace, "trace"},
    {Pass::counters, "counters"},
}};

}  // namespace

std::string_view to_text(Pass pass) {
  for (const auto& [value, name] : kPasses)
    if (value == pass) return name;
  return "?";
}

std::optional<Pass> pass_from_text(std::string_view text) {
  for (const auto& [value, name] : kPasses)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace bench::protocol
