#include "harness/registry/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::registry {
namespace {

[[noreturn]] void refuse(const Parameter& parameter, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("--{}: {}", parameter.name, why));
}

std::string bound_text(const Parameter& parameter, double bound) {
  if (parameter.kind == ParameterKind::real) return fmt::format("{}", bound);
  return format_count(static_cast<std::int64_t>(bound));
}

void check_bounds(const Parameter& parameter, double value, std::string_view text) {
  if (value >= parameter.minimum && value <= parameter.maximum) return;
  const bool low = value < parameter.minimum;
  refuse(parameter,
         fmt::format("{} is {} {}, the {} that makes sense", printable(text), low ? "below" : "above",
                     bound_text(parameter, low ? parameter.minimum : parameter.maximum),
                     low ? "least" : "most"));
}

bool is_number(const Parameter& parameter) {
  return parameter.kind == ParameterKind::integer || parameter.kind == ParameterKind::real ||
         parameter.kind == ParameterKind::bytes;
}

double as_double(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

// A real computed by steps, as a person would write it: 0.3 and not 0.30000000000000004.
Value computed(const Parameter& parameter, double value) {
  if (parameter.kind != ParameterKind::real) return static_cast<std::int64_t>(std::llround(value));
  return number_from<double>(fmt::format("{:.12g}", value)).value_or(value);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t leading_digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

// 007, and not 0 or 0.5.
bool has_leading_zero(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text.starts_with('0') && leading_digits(text) > 1;
}

std::string without_leading_zeros(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of("0"), leading_digits(text) - 1);
  return std::string(text.substr(first));
}

// Nobody writes a number so on purpose: it is most often the rest of one that a comma cut.
void refuse_leading_zero(const Parameter& parameter, std::string_view text) {
  if (!is_number(parameter) || !has_leading_zero(text)) return;
  const std::string_view digits = is_digit(text.front()) ? text : text.substr(1);
  refuse(parameter, fmt::format("\"{}\" begins with a zero; did you mean {}{}?", printable(text),
                                is_digit(text.front()) ? "" : text.substr(0, 1),
                                printable(without_leading_zeros(digits))));
}

// The step of lo:hi:STEP: times a factor, or plus an amount.
struct Step {
  bool times = true;
  double by = 2;
};

Step parse_step(const Parameter& parameter, std::string_view text, std::string_view range) {
  const auto wrong = [&](std::string_view why) {
    refuse(parameter, fmt::format("\"{}\": {}", printable(range), why));
  };
  if (text.empty() || (text.front() != 'x' && text.front() != '+'))
    wrong("a range is lo:hi:x2 (each twice the one before) or lo:hi:+N (each N more)");
  Step step{.times = text.front() == 'x', .by = 0};
  const std::string_view amount = text.substr(1);
  refuse_leading_zero(parameter, amount);
  if (step.times || parameter.kind == ParameterKind::real) {
    step.by = number_from<double>(amount).value_or(0);
  } else if (parameter.kind == ParameterKind::bytes) {
    try {
      step.by = static_cast<double>(parse_bytes(amount));
    } catch (const Error& error) {
      refuse(parameter, error.what());
    }
  } else {
    step.by = static_cast<double>(number_from<std::int64_t>(amount).value_or(0));
  }
  if (!std::isfinite(step.by)) step.by = 0;
  if (step.times && parameter.kind == ParameterKind::real && step.by <= 1)
    wrong("its factor must be a number above 1");
  if (step.times && parameter.kind != ParameterKind::real && step.by < 2)
    wrong("its factor must be a number of 2 or more");
  if (!step.times && step.by <= 0) wrong("its step must be above 0");
  return step;
}

void append_range(const Parameter& parameter, std::string_view text, std::vector<AxisValue>& values) {
  if (!is_number(parameter))
    refuse(parameter, fmt::format("\"{}\" is a range, but names have no order", printable(text)));
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 3)
    refuse(parameter, fmt::format("\"{}\": a range is lo:hi:x2 (each twice the one before) or lo:hi:+N "
                                  "(each N more)",
                                  printable(text)));
  const double low = as_double(parse_value(parameter, parts[0]));
  const double high = as_double(parse_value(parameter, parts[1]));
  const Step step = parse_step(parameter, trimmed(parts[2]), text);
  if (low > high) refuse(parameter, fmt::format("\"{}\" ends before it begins", printable(text)));
  if (step.times && low <= 0)
    refuse(parameter, fmt::format("\"{}\": a range that multiplies must begin above 0, not at {}",
                                  printable(text), low));

  // The last value may miss `high` by rounding alone.
  const double steps = step.times ? std::log(high / low) / std::log(step.by) : (high - low) / step.by;
  if (steps + 1 > kMostCases)
    refuse(parameter, fmt::format("\"{}\" has more than {} values", printable(text),
                                  format_count(static_cast<std::int64_t>(kMostCases))));
  const auto last = static_cast<std::int64_t>(std::floor(steps + 1e-9));
  for (std::int64_t i = 0; i <= last; ++i) {
    const double n = static_cast<double>(i);
    values.emplace_back(computed(parameter, step.times ? low * std::pow(step.by, n) : low + n * step.by));
  }
}

// 1,024 is a list of 1 and 024: refused, with the number that was meant.
void refuse_thousands(const Parameter& parameter, const std::vector<std::string>& entries) {
  if (!is_number(parameter)) return;
  const auto zero = std::ranges::adjacent_find(entries, [](std::string_view before, std::string_view entry) {
    return !before.empty() && leading_digits(before) == before.size() && has_leading_zero(entry);
  });
  if (zero == entries.end()) return;
  std::string typed = *zero, meant = *zero;
  const bool is_fraction = *zero == "0" && parameter.kind != ParameterKind::integer;  // a decimal comma
  for (auto entry = zero + 1; entry != entries.end(); ++entry) {
    if (!is_fraction && leading_digits(*entry) != 3) break;
    typed += "," + *entry;
    meant += (is_fraction ? "." : "") + *entry;
    if (is_fraction || entry->size() > 3) break;  // a unit or decimals end the number
  }
  if (meant == *zero || (has_leading_zero(meant) && !is_fraction)) return;
  refuse(parameter, fmt::format("\"{}\" reads as the list {} and {}; did you mean {}?", printable(typed),
                                printable(*zero), printable(*(zero + 1)), printable(meant)));
}

}  // namespace

Value parse_value(const Parameter& parameter, std::string_view raw) {
  const std::string_view text = trimmed(raw);
  refuse_leading_zero(parameter, text);
  switch (parameter.kind) {
    case ParameterKind::integer: {
      const auto value = number_from<std::int64_t>(text);
      if (!value) {
        // 1e3 and 99999999999999999999 deserve their own words.
        refuse(parameter, fmt::format("\"{}\" is not a whole number{}{}", printable(raw),
                                      text.size() > 18 ? " of at most 18 digits" : "",
                                      parameter.has_max ? ", nor max" : ""));
      }
      check_bounds(parameter, static_cast<double>(*value), text);
      return *value;
    }
    case ParameterKind::real: {
      const auto value = number_from<double>(text);
      if (!value || !std::isfinite(*value))
        refuse(parameter, fmt::format("\"{}\" is not a number", printable(raw)));
      check_bounds(parameter, *value, text);
      return *value;
    }
    case ParameterKind::bytes: {
      std::int64_t value = 0;
      try {
        value = parse_bytes(text);
      } catch (const Error& error) {
        refuse(parameter, error.what());
      }
      check_bounds(parameter, static_cast<double>(value), text);
      return value;
    }
    case ParameterKind::choice:
      if (std::find(parameter.choices.begin(), parameter.choices.end(), text) == parameter.choices.end())
        refuse(parameter,
               fmt::format("there is no \"{}\"{}", printable(text), did_you_mean(text, parameter.choices)));
      return std::string(text);
    case ParameterKind::text:
      return std::string(text);
  }
  return std::string(text);
}

std::vector<AxisValue> parse_values(const Parameter& parameter, std::string_view text) {
  std::vector<AxisValue> values;
  std::vector<std::string> entries = split(text, ',');
  for (std::string& entry : entries) entry = std::string(trimmed(entry));
  refuse_thousands(parameter, entries);
  for (const std::string& entry : entries) {
    if (entry.empty()) refuse(parameter, fmt::format("\"{}\" has an empty value", printable(text)));
    if (parameter.has_max && entry == "max")
      values.emplace_back(Largest{});
    else if (parameter.kind != ParameterKind::text && entry.find(':') != std::string::npos)
      append_range(parameter, entry, values);
    else
      values.emplace_back(parse_value(parameter, entry));
  }
  return values;
}

}  // namespace bench::registry
