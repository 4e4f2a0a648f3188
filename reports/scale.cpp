#include "reports/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/core/units.hpp"

namespace bench::reports {
namespace {

struct Step {
  std::string_view unit;
  double divisor;
  double from;  // the smallest (or largest, see below) magnitude in the column that makes this unit readable
};

struct Ladder {
  std::string_view stored;
  Step large[3];  // taken when the smallest number reaches `from`; the first that fits
  Step small[4];  // otherwise, when the largest does
};

constexpr double kKi = 1024.0;

constexpr Ladder kLadders[] = {
    // ms for whatever a person would call milliseconds, so that a step and its phases share a unit.
    {"ns", {{"s", 1e9, 10e9}}, {{"ms", 1e6, 1e6}, {"µs", 1e3, 1e3}, {"ns", 1, 0}}},
    {"bytes",
     {{"GiB", kKi* kKi* kKi, 10 * kKi* kKi* kKi}},
     {{"MiB", kKi* kKi, kKi* kKi}, {"KiB", kKi, kKi}, {"bytes", 1, 0}}},
    {"FLOP/s", {{"TFLOP/s", 1e12, 1e12}, {"GFLOP/s", 1e9, 1e9}, {"MFLOP/s", 1e6, 1e6}}, {{"FLOP/s", 1, 0}}},
    {"bytes/s", {{"GB/s", 1e9, 1e9}, {"MB/s", 1e6, 1e6}, {"kB/s", 1e3, 1e3}}, {{"bytes/s", 1, 0}}},
    {"FLOP", {{"TFLOP", 1e12, 1e12}, {"GFLOP", 1e9, 1e9}, {"MFLOP", 1e6, 1e6}}, {{"FLOP", 1, 0}}},
};

struct Range {
  double smallest = std::numeric_limits<double>::infinity();  // of those that are not zero
  double largest = 0;
};

Range range_of(std::span<const double> values) {
  Range range;
  for (const double value : values) {
    const double magnitude = std::abs(value);
    if (magnitude > 0 && std::isfinite(magnitude)) range.smallest = std::min(range.smallest, magnitude);
    if (std::isfinite(magnitude)) range.largest = std::max(range.largest, magnitude);
  }
  if (range.largest == 0) range.smallest = 0;
  return range;
}

void choose_unit(Scale& scale, const Range& range) {
  for (const Ladder& ladder : kLadders) {
    if (ladder.stored != scale.unit) continue;
    const auto take = [&](const Step& step) {
      scale.unit = step.unit;
      scale.divisor = step.divisor;
    };
    for (const Step& step : ladder.large) {
      if (step.divisor > 0 && range.smallest >= step.from) return take(step);
    }
    for (const Step& step : ladder.small) {
      if (step.divisor > 0 && range.largest >= step.from) return take(step);
    }
  }
}

int exponent_of(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}

// Three significant digits for the smallest number, one more decimal if an interval would round to ± 0.
std::optional<int> choose_decimals(const Range& values, const Range& distances) {
  constexpr int kMost = 3;
  if (values.largest == 0) return 0;
  if (values.smallest < 0.01 || values.largest >= 1e15) return std::nullopt;
  int decimals = std::clamp(2 - exponent_of(values.smallest), 0, kMost);
  if (distances.smallest > 0 && distances.largest > 0 && -exponent_of(distances.smallest) > decimals) {
    decimals = std::min(decimals + 1, kMost);
  }
  return decimals;
}

std::string with_thousands_separators(std::string digits) {
  const std::size_t begin = digits[0] == '-' ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  if (point - begin < 5) return digits;  // four digits read well without
  for (std::size_t at = point; at > begin + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace

Scale choose_scale(std::string_view unit, std::span<const double> values, std::span<const double> distances) {
  Scale scale{.unit = std::string(unit), .divisor = 1, .decimals = std::nullopt};
  choose_unit(scale, range_of(values));
  const bool is_count = unit == "1" && std::ranges::all_of(values, [](double value) {
                          return value == std::floor(value) && std::abs(value) < 1e15;
                        });
  if (unit == "1") scale.unit.clear();
  if (is_count) {
    scale.decimals = 0;
    return scale;
  }
  const auto scaled = [&](Range range) {
    return Range{range.smallest / scale.divisor, range.largest / scale.divisor};
  };
  scale.decimals = choose_decimals(scaled(range_of(values)), scaled(range_of(distances)));
  return scale;
}

std::string format_scaled(double value, const Scale& scale) {
  const double scaled = value / scale.divisor;
  if (!scale.decimals || !std::isfinite(scaled)) return format_significant(scaled);
  return with_thousands_separators(fmt::format("{:.{}f}", scaled, *scale.decimals));
}

std::pair<std::string, std::string> heading_of(const std::string& heading, Quantity kind,
                                               const Scale& scale) {
  if (kind != Quantity::rate) return {heading, scale.unit};
  return {heading.empty() ? scale.unit : heading + " " + scale.unit, ""};
}

}  // namespace bench::reports
