#include "harness/core/policy.hpp"

namespace bench {

std::string_view to_text(Timing timing) {
  switch (timing) {
    case Timing::blocking:
      return "blocking";
    case Timing::back_to_back:
      return "back-to-back";
    case Timing::graph:
      return "graph";
  }
  return "?";
}

std::optional<Timing> timing_from_text(std::string_view text) {
  if (text == "blocking") return Timing::blocking;
  if (text == "back-to-back") return Timing::back_to_back;
  if (text == "graph") return Timing::graph;
  return std::nullopt;
}

std::string_view to_text(CacheState cache) {
  return cache == CacheState::hot ? "hot" : "cold";
}

std::optional<CacheState> cache_state_from_text(std::string_view text) {
  if (text == "hot") return CacheState::hot;
  if (text == "cold") return CacheState::cold;
  return std::nullopt;
}

std::string_view to_text(Headline headline) {
  return headline == Headline::host_time ? "host" : "device";
}

std::optional<Headline> headline_from_text(std::string_view text) {
  if (text == "host") return Headline::host_time;
  if (text == "device") return Headline::device_time;
  return std::nullopt;
}

}  // namespace bench
