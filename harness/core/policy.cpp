#include "harness/core/policy.hpp"

#include "harness/core/names.hpp"

namespace bench {
namespace {

constexpr Names<Timing, 3> kTimings{{
    {Timing::blocking, "blocking"},
    {Timing::back_to_back, "back-to-back"},
    {Timing::graph, "graph"},
}};
constexpr Names<CacheState, 2> kCacheStates{{{CacheState::hot, "hot"}, {CacheState::cold, "cold"}}};
constexpr Names<Headline, 2> kHeadlines{{{Headline::host_time, "host"}, {Headline::device_time, "device"}}};

}  // namespace

std::string_view to_text(Timing timing) {
  return name_of(kTimings, timing);
}
std::optional<Timing> timing_from_text(std::string_view text) {
  return value_of(kTimings, text);
}

std::string_view to_text(CacheState cache) {
  return name_of(kCacheStates, cache);
}
std::optional<CacheState> cache_state_from_text(std::string_view text) {
  return value_of(kCacheStates, text);
}

std::string_view to_text(Headline headline) {
  return name_of(kHeadlines, headline);
}
std::optional<Headline> headline_from_text(std::string_view text) {
  return value_of(kHeadlines, text);
}

}  // namespace bench
