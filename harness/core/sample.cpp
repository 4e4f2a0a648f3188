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

std::string_view to_text(TimeSource::Kind kind) {
  switch (kind) {
    case TimeSource::Kind::device:
      return "device";
    case TimeSource::Kind::phase:
      return "phase";
    case TimeSource::Kind::host:
      break;
  }
  return "host";
}

std::optional<TimeSource::Kind> time_source_kind_from_text(std::string_view text) {
  for (const auto kind : {TimeSource::Kind::host, TimeSource::Kind::device, TimeSource::Kind::phase})
    if (text == to_text(kind)) return kind;
  return std::nullopt;
}

std::optional<std::int64_t> time_ns(const Sample& sample, TimeSource source) {
  switch (source.kind) {
    case TimeSource::Kind::device:
      return sample.device_ns;
    case TimeSource::Kind::phase:
      if (source.phase >= sample.phase_ns.size()) return std::nullopt;
      return sample.phase_ns[source.phase];
    case TimeSource::Kind::host:
      break;
  }
  return sample.host_ns;
}

}  // namespace bench
