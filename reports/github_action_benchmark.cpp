#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/document.hpp"
#include "harness/protocol/json.hpp"
#include "reports/free_name.hpp"

// The arrays that github-action-benchmark takes for its tools customSmallerIsBetter and customBiggerIsBetter:
// the direction is that of the whole file.
namespace bench::reports {
namespace {

using nlohmann::ordered_json;

bool is_gain(Quantity kind) {
  return kind == Quantity::rate || kind == Quantity::share;
}

bool is_cost(Quantity kind) {
  return kind == Quantity::time || kind == Quantity::memory || kind == Quantity::traffic;
}

std::string entries(const Document& document, bool bigger_is_better) {
  auto json = ordered_json::array();
  std::set<std::string> names;  // the tool follows each over time, and takes one of two alike
  for (const CaseResult& result : document.cases) {
    if (result.status != Status::ok) continue;
    for (const Summary& summary : result.summaries) {
      if (!(bigger_is_better ? is_gain(summary.kind) : is_cost(summary.kind)) ||
          !std::isfinite(summary.value))
        continue;
      const std::string process = result.repetition > 0 ? fmt::format(" process {}", result.repetition) : "";
      const std::string name =
          free_name(result.configuration.id() + process + " " + summary.metric,
                    [&](const std::string& candidate) { return !names.insert(candidate).second; });
      ordered_json entry{{"name", name}, {"unit", summary.unit}, {"value", summary.value}};
      if (summary.low && summary.high)
        entry["range"] =
            fmt::format("± {:.6g}", std::max(*summary.high - summary.value, summary.value - *summary.low));
      entry["extra"] = summary.n > 0 ? fmt::format("median of {}", summary.n) : "exact";
      json.push_back(std::move(entry));
    }
  }
  return protocol::dump(json, 2) + "\n";
}

}  // namespace

std::string github_action_benchmark(const Document& document) {
  return entries(document, false);
}

std::string github_action_benchmark_rates(const Document& document) {
  return entries(document, true);
}

}  // namespace bench::reports
