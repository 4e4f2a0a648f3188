#include "reports/foreign/google_benchmark_rows.hpp"

#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace bench::reports {
namespace {

using protocol::Reader;

// What a row is of. `aggregate` is empty where it was measured.
struct RowName {
  std::string benchmark, aggregate;
};

// "BM_Sum_mean" -> BM_Sum and mean.
std::optional<RowName> split_aggregate(std::string_view name) {
  constexpr std::array<std::string_view, 6> kAggregates{"mean", "median", "stddev", "cv", "BigO", "RMS"};
  for (const std::string_view aggregate : kAggregates) {
    if (!name.ends_with(aggregate)) continue;
    const std::string_view rest = name.substr(0, name.size() - aggregate.size());
    if (rest.size() > 1 && rest.ends_with('_'))
      return RowName{std::string(rest.substr(0, rest.size() - 1)), std::string(aggregate)};
  }
  return std::nullopt;
}

// Before 1.5 only its name says that a row is an aggregate. A benchmark may be called so too, but then it
// stands alone.
class OldNames {
 public:
  explicit OldNames(const Reader& file) {
    file.each("benchmarks", [&](const Reader& row) {
      const std::string name = row.text("name");
      measured_.insert(name);
      if (const auto of = split_aggregate(name)) ++aggregates_[of->benchmark];
    });
  }
  RowName operator()(const std::string& name) const {
    if (const auto of = split_aggregate(name);
        of && (measured_.contains(of->benchmark) || aggregates_.at(of->benchmark) > 1))
      return *of;
    return {name, ""};
  }

 private:
  std::set<std::string> measured_;
  std::map<std::string, int> aggregates_;  // how many rows look like one of this benchmark
};

RowName name_of(const Reader& row, const OldNames& old_names) {
  const std::string name = row.text("name");
  if (!row.has("run_type")) return old_names(name);
  RowName of{name, ""};
  if (row.text("run_type") == "aggregate") of = split_aggregate(name).value_or(RowName{name, "unnamed"});
  if (row.has("run_name")) of.benchmark = row.text("run_name");
  if (!of.aggregate.empty() && row.has("aggregate_name")) of.aggregate = row.text("aggregate_name");
  return of;
}

}  // namespace

std::vector<BenchmarkRows> benchmark_rows(const Reader& file) {
  const OldNames old_names(file);
  std::vector<BenchmarkRows> benchmarks;
  std::map<std::array<std::string, 3>, std::size_t> known;
  std::size_t place = 0;
  file.each("benchmarks", [&](const Reader& row) {
    const RowName name = name_of(row, old_names);
    const auto index = [&](const char* member) { return row.has(member) ? row.member(member).dump() : ""; };
    const auto [at, is_new] = known.try_emplace(
        {name.benchmark, index("family_index"), index("per_family_instance_index")}, benchmarks.size());
    if (is_new) benchmarks.push_back({.name = name.benchmark, .repetitions = {}, .aggregates = {}});
    BenchmarkRows& rows = benchmarks[at->second];
    if (name.aggregate.empty())
      rows.repetitions.push_back(place);
    else
      rows.aggregates.emplace(name.aggregate, place);
    ++place;
  });
  return benchmarks;
}

}  // namespace bench::reports
