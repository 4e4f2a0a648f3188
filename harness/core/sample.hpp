#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bench {

// replaced: a measured one that did less than it should (a loss scaler skipped the optimizer): kept, in no
// number, and taken again.
enum class SampleKind { warm_up, measured, replaced };

std::string_view to_text(SampleKind kind);
std::optional<SampleKind> sample_kind_from_text(std::string_view text);

// synchronise; read the clock; run `steps` steps; synchronise; read the clock.
struct Sample {
  std::int64_t begin_ns = 0;              // CLOCK_MONOTONIC, so that ranks of one host can be lined up
  std::int64_t host_ns = 0;               // the whole sample: divide by steps for one step
  std::optional<std::int64_t> device_ns;  // the same span by the device's own events; absent on the CPU
  std::vector<std::int64_t> phase_ns;     // the whole sample, one entry per phase name of the case
  int steps = 1;
  SampleKind kind = SampleKind::measured;
  int rank = 0;

  bool operator==(const Sample&) const = default;
};

// One of the times that a sample holds.
struct TimeSource {
  enum class Kind { host, device, phase };
  Kind kind = Kind::host;
  std::size_t phase = 0;  // of a phase: its place in phase_ns

  bool operator==(const TimeSource&) const = default;
};

std::string_view to_text(TimeSource::Kind kind);
std::optional<TimeSource::Kind> time_source_kind_from_text(std::string_view text);

// Of the whole sample; nullopt: it holds no such time.
std::optional<std::int64_t> time_ns(const Sample& sample, TimeSource source);

}  // namespace bench
