#include "harness/core/sample.hpp"

namespace bench {

std::string_view to_text(SampleKind kind) {
  switch (kind) {
    case SampleKind::warm_up:
      return "warm-up";
    case SampleKind::replaced:
      return "replaced";
    case SampleKind::measured:
      break;
  }
  return "measured";
}

std::optional<SampleKind> sample_kind_from_text(std::string_view text) {
  if (text == "warm-up") return SampleKind::warm_up;
  if (text == "measured") return SampleKind::measured;
  if (text == "replaced") return SampleKind::replaced;
  return std::nullopt;
}

}  // namespace bench
