#include "reports/foreign/foreign.hpp"

#include <array>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"

namespace bench::reports {
namespace {

// How long the bare word at the beginning of `text` is that stands for no finite number; 0: none is there.
std::size_t non_finite_length(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  for (const std::string_view word : std::to_array<std::string_view>({"NaN", "Infinity", "nan", "inf"}))
    if (text.substr(sign).starts_with(word)) return sign + word.size();
  return 0;
}

// libbenchmark writes NaN and Infinity (before 1.5 nan and inf), for which JSON has no word: null takes their
// place. Inside strings they are text.
std::string with_null_for_non_finite(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (in_string && text[at] == '\\') {
      result += text.substr(at++, 2);  // what is escaped ends no string
      continue;
    }
    if (text[at] == '"') in_string = !in_string;
    if (const std::size_t length = in_string ? 0 : non_finite_length(text.substr(at)); length > 0) {
      result += "null";
      at += length - 1;
    } else {
      result += text[at];
    }
  }
  return result;
}

}  // namespace

Document foreign_document(std::string_view text, const std::string& where) {
  if (trimmed(text).starts_with('{')) {
    const nlohmann::ordered_json json = protocol::parse(with_null_for_non_finite(text), where);
    if (is_google_benchmark(json)) return from_google_benchmark(json, where);
    if (is_hyperfine(json)) return from_hyperfine(json, where);
  }
  throw Error(ErrorKind::usage,
              printable(where) +
                  " is no file that bench reads: those are a run's run.json or cases.jsonl, what Google "
                  "Benchmark writes with --benchmark_out_format=json, and what hyperfine writes with "
                  "--export-json");
}

}  // namespace bench::reports
