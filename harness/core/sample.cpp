#include "harness/core/sample.hpp"

namespace bench {

std::string_view to_text(SampleKind kind) {
  return kind == SampleKind::warm_up ? "warm-up" : "measured";
}

std::optional<SampleKind> sample_kind_from_text(std::string_view text) {
  if (text == "warm-up") return SampleKind::warm_up;
  if (text == "measured") return SampleKind::measured;
  return std::nullopt;
}

}  // namespace bench
