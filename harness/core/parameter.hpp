#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace bench {

// A parameter's value. Choices and free text are strings; byte counts are integers.
using Value = std::variant<std::int64_t, double, std::string>;

// The one rendering used in case ids, tables and JSON keys: 256, 0.1, bf16-mixed. Reals print shortest
// round-trip.
std::string to_text(const Value& value);

enum class ParameterKind { integer, real, choice, bytes, text };

// One option of `bench run WORKLOAD`, and one column of its results.
struct Parameter {
  std::string name;  // as typed, without dashes: d-model
  std::string help;  // one line
  std::string unit;  // "tokens", "bytes"; empty for a pure number or a name
  ParameterKind kind = ParameterKind::text;
  std::vector<std::string> choices;  // for ParameterKind::choice
  // Empty: absent from the case unless given (then the workload's canonicalize fills in what it implies).
  std::string default_value;
  // What a document written before this parameter existed means by not having it. Frozen at introduction.
  std::string absent_means;
  // Inclusive bounds for integer, real and bytes.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  // An integer that memory grows with: `max` is a value of it, the largest power of two that fits.
  bool has_max = false;
};

}  // namespace bench
