#include "harness/protocol/message.hpp"

#include "harness/core/names.hpp"

namespace bench::protocol {
namespace {

constexpr Names<Pass, 3> kPasses{{
    {Pass::memory, "memory"},
    {Pass::trace, "trace"},
    {Pass::counters, "counters"},
}};

}  // namespace

std::string_view to_text(Pass pass) {
  return name_of(kPasses, pass);
}

std::optional<Pass> pass_from_text(std::string_view text) {
  return value_of(kPasses, text);
}

}  // namespace bench::protocol
