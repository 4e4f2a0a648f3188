#include "harness/core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench {
namespace {

struct Number {
  double value;
  std::optional<std::int64_t> whole;  // the same, where it was written as one
  std::string_view unit;
};

// "25 MiB" -> {25, "MiB"}. nullopt when it does not begin with a finite number that is not negative.
std::optional<Number> leading_number(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.data()));
  return Number{value, number_from<std::int64_t>(digits), trimmed(text.substr(digits.size()))};
}

std::optional<std::int64_t> times(std::optional<std::int64_t> a, std::int64_t b) {
  std::int64_t product = 0;
  if (!a || __builtin_mul_overflow(*a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace

std::int64_t parse_bytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 10> kUnits{{
      {"", 1},
      {"B", 1},
      {"KB", 1e3},
      {"MB", 1e6},
      {"GB", 1e9},
      {"TB", 1e12},
      {"KiB", 1024.0},
      {"MiB", 1024.0 * 1024},
      {"GiB", 1024.0 * 1024 * 1024},
      {"TiB", 1024.0 * 1024 * 1024 * 1024},
  }};
  const auto number = leading_number(text);
  if (!number)
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is not a size; write it like 25MiB or 1GB", printable(text)));
  for (const auto& [unit, factor] : kUnits) {
    if (unit != number->unit) continue;
    if (const auto bytes = times(number->whole, static_cast<std::int64_t>(factor)))
      return *bytes;  // exact above 2^53
    const double bytes = number->value * factor;
    if (bytes > 9.0e18)
      throw Error(ErrorKind::usage, fmt::format("\"{}\" is more than 8 EiB", printable(text)));
    if (std::abs(bytes - std::round(bytes)) > 1e-9 * bytes)  // 1.001KB is whole, in decimals
      throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a whole number of bytes", printable(text)));
    return std::llround(bytes);
  }
  const std::string_view unit = number->unit;
  if (unit.size() == 1 && std::string_view("kKmMgGtT").find(unit[0]) != std::string_view::npos) {
    const char letter = static_cast<char>(unit[0] & ~0x20);
    const std::string amount(trimmed(text).substr(0, trimmed(text).size() - 1));
    throw Error(ErrorKind::usage, fmt::format("\"{}\" could be 10^3 or 2^10 steps: {}{}B or {}{}iB?",
                                              printable(text), amount, letter, amount, letter));
  }
  throw Error(ErrorKind::usage,
              fmt::format("\"{}\" has an unknown unit; valid: B, KB, MB, GB, TB, KiB, MiB, GiB, TiB",
                          printable(text)));
}

double parse_duration_s(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"h", 3600}}};
  if (const auto number = leading_number(text))
    for (const auto& [unit, factor] : kUnits)
      if (unit == number->unit) return number->value * factor;
  throw Error(ErrorKind::usage,
              fmt::format("\"{}\" is not a duration; write it like 60s, 500ms or 2m", printable(text)));
}

std::string format_significant(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return "unknown";
  const double magnitude = std::abs(value);
  if (magnitude < 1e-6 || magnitude >= 1e15) return fmt::format("{:.{}g}", value, digits);
  // Rounding may carry into another digit (9.996 -> 10.0), so decide the decimals from the rounded value.
  const double step = std::pow(10.0, std::floor(std::log10(magnitude)) - (digits - 1));
  const double rounded = std::round(value / step) * step;
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-12));
  return fmt::format("{:.{}f}", rounded, std::max(0, digits - 1 - exponent));
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // From 999.5 on three digits would print 1000 or 1020: change the unit first.
  while (std::abs(value) >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", format_significant(value), kUnits[unit]);
}

std::string format_duration_ns(double ns) {
  if (ns >= 999.5e6) return format_significant(ns / 1e9) + " s";
  if (ns >= 999.5e3) return format_significant(ns / 1e6) + " ms";
  if (ns >= 999.5) return format_significant(ns / 1e3) + " µs";
  return format_significant(ns) + " ns";
}

std::string format_seconds_left(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(std::max(0.0, std::min(seconds, 1e12))));
  if (total >= 3600) return fmt::format("{}h {:02}m", total / 3600, total % 3600 / 60);
  if (total >= 60) return fmt::format("{}m {:02}s", total / 60, total % 60);
  return fmt::format("{}s", total);
}

std::string format_count(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace bench
