#include "reports/pivot/pivot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/statistics/descriptive.hpp"
#include "reports/parameters.hpp"
#include "reports/scale.hpp"

namespace bench::reports {
namespace {

struct Row {
  const CaseResult* result;
  const std::string* run;
};

std::string text_of(const Row& row, const std::string& name) {
  if (name == "run") return *row.run;
  const auto value = parameter_of(*row.result, name);
  return value ? to_text(*value) : "";
}

// What was asked for, or what varies, resolved against what the runs hold.
class Names {
 public:
  Names(const std::vector<Row>& rows, const std::vector<NamedRun>& runs) {
    for (const NamedRun& run : runs)
      for (std::string& name : parameter_names(*run.document)) add(known_, std::move(name));
    for (const std::string& name : kMeasurementParameters) add(known_, name);
    add(known_, "workload");
    add(known_, "repetition");
    if (runs.size() > 1) known_.insert(known_.begin(), "run");
    for (const std::string& name : known_) {
      std::set<std::string> texts;
      for (const Row& row : rows) texts.insert(text_of(row, name));
      if (texts.size() > 1 && name != "repetition") varying_.push_back(name);
    }
  }

  const std::vector<std::string>& varying() const { return varying_; }

  void require(const std::vector<std::string>& names, const char* option) const {
    for (const std::string& name : names)
      if (std::ranges::find(known_, name) == known_.end())
        throw Error(ErrorKind::usage, fmt::format("{}: no case has a parameter \"{}\"{}", option,
                                                  printable(name), did_you_mean(name, known_)));
  }

 private:
  static void add(std::vector<std::string>& names, std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }

  std::vector<std::string> known_, varying_;
};

PivotKey key_of(const Row& row, const std::vector<std::string>& names) {
  PivotKey key;
  for (const std::string& name : names) key.push_back(text_of(row, name));
  return key;
}

// Order of appearance, but numbers ascending.
std::vector<PivotKey> keys_of(const std::vector<Row>& rows, const std::vector<std::string>& names) {
  std::vector<PivotKey> keys;
  std::set<PivotKey> seen;
  for (const Row& row : rows) {
    PivotKey key = key_of(row, names);
    if (seen.insert(key).second) keys.push_back(std::move(key));
  }
  for (std::size_t i = names.size(); i-- > 0;) {
    if (std::ranges::all_of(keys,
                            [&](const PivotKey& key) { return number_from<double>(key[i]).has_value(); }))
      std::ranges::stable_sort(keys, {}, [&](const PivotKey& key) { return *number_from<double>(key[i]); });
  }
  return keys;
}

// Of each metric its first summary.
std::vector<const Summary*> metrics_of(const std::vector<Row>& rows) {
  std::vector<const Summary*> metrics;
  for (const Row& row : rows)
    for (const Summary& summary : row.result->summaries)
      if (std::ranges::none_of(metrics, [&](const Summary* one) { return is_same_metric(*one, summary); }))
        metrics.push_back(&summary);
  return metrics;
}

// "peak_allocated", also as "peak_allocated_bytes" and "step_ns".
const Summary* find_metric(const std::string& name, const std::vector<const Summary*>& metrics) {
  std::vector<std::string> names;
  for (const Summary* one : metrics) {
    if (name == one->metric || name == one->metric + "_" + one->unit) return one;
    names.push_back(one->metric);
  }
  throw Error(ErrorKind::usage,
              fmt::format("--value: no case has \"{}\"{}", printable(name), did_you_mean(name, names)));
}

PivotCell cell_of(const std::vector<Row>& rows, const Summary& about) {
  PivotCell cell;
  std::vector<double> values;
  for (const Row& row : rows) {
    cell.present = true;
    if (row.result->status != Status::ok) {
      cell.status = row.result->status;
      continue;
    }
    for (const Summary& summary : row.result->summaries) {
      if (!is_same_metric(summary, about) || !std::isfinite(summary.value)) continue;
      values.push_back(summary.value);
      cell.low = summary.low;
      cell.high = summary.high;
    }
  }
  if (cell.status != Status::ok)
    return {.present = true, .status = cell.status, .value = {}, .low = {}, .high = {}};
  if (values.empty()) return cell;
  cell.value = statistics::median(values);
  if (values.size() > 1) cell.low.reset(), cell.high.reset();
  return cell;
}

// A cell must hold one case: what else tells cases apart has to be a row or a column.
void refuse_several(const std::vector<Row>& rows, const std::vector<std::string>& varying) {
  for (const std::string& name : varying) {
    std::vector<std::string> texts;
    for (const Row& row : rows) {
      const std::string text = text_of(row, name);
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    if (texts.size() < 2) continue;
    throw Error(ErrorKind::usage,
                printable(fmt::format(
                    "one cell would hold several cases, {} {} and {}: add {} to --rows or --columns", name,
                    texts[0], texts[1], name)));
  }
}

}  // namespace

std::string key_text(const PivotKey& key) {
  std::vector<std::string> texts;
  std::ranges::copy_if(key, std::back_inserter(texts), [](const std::string& text) { return !text.empty(); });
  return texts.empty() && !key.empty() ? "–" : join(texts, ", ");
}

Pivot make_pivot(const std::vector<NamedRun>& runs, const PivotRequest& request) {
  std::vector<Row> rows;
  for (const NamedRun& run : runs)
    for (const CaseResult& result : run.document->cases) rows.push_back({&result, &run.name});
  if (rows.empty()) throw Error(ErrorKind::usage, "there is no case to make a table of");
  const Names names(rows, runs);
  names.require(request.rows, "--rows");
  names.require(request.columns, "--columns");

  Pivot pivot;
  pivot.row_names = request.rows;
  pivot.column_names = request.columns;
  const auto is_used = [&](const std::string& name) {
    return std::ranges::find(pivot.row_names, name) != pivot.row_names.end() ||
           std::ranges::find(pivot.column_names, name) != pivot.column_names.end();
  };
  for (const std::string& name : names.varying()) {
    if (is_used(name)) continue;
    if (pivot.row_names.empty())
      pivot.row_names.push_back(name);
    else if (request.columns.empty() && (request.rows.empty() || request.values.empty()))
      pivot.column_names.push_back(name);
  }
  if (pivot.row_names.empty()) pivot.row_names.emplace_back("workload");
  pivot.rows = keys_of(rows, pivot.row_names);
  pivot.columns = keys_of(rows, pivot.column_names);

  const auto metrics = metrics_of(rows);
  std::vector<const Summary*> values;
  for (const std::string& name : request.values) values.push_back(find_metric(name, metrics));
  if (values.empty()) {
    const auto time =
        std::ranges::find_if(metrics, [](const Summary* one) { return one->kind == Quantity::time; });
    if (time == metrics.end()) throw Error(ErrorKind::usage, "there is no time: name a metric with --value");
    values.push_back(*time);
  }

  std::map<std::pair<PivotKey, PivotKey>, std::vector<Row>> behind;
  for (const Row& row : rows)
    behind[{key_of(row, pivot.row_names), key_of(row, pivot.column_names)}].push_back(row);
  for (const auto& [key, group] : behind) {
    refuse_several(group, names.varying());
    pivot.repetitions = std::max(pivot.repetitions, group.size());
  }

  std::vector<std::string> titles;
  for (const Summary* one : values) {
    titles.push_back(heading_of(one->heading, one->kind, {.unit = one->unit}).first);
    PivotValue value{
        .about = {.metric = one->metric, .heading = one->heading, .unit = one->unit, .kind = one->kind},
        .cells = {}};
    for (const PivotKey& row : pivot.rows) {
      std::vector<PivotCell> cells;
      for (const PivotKey& column : pivot.columns) {
        const auto found = behind.find({row, column});
        cells.push_back(found == behind.end() ? PivotCell{} : cell_of(found->second, *one));
      }
      value.cells.push_back(std::move(cells));
    }
    pivot.values.push_back(std::move(value));
  }
  std::vector<std::string> by = pivot.row_names;
  by.insert(by.end(), pivot.column_names.begin(), pivot.column_names.end());
  pivot.title = join(titles, ", ") + " by " + join(by, " and ");
  const RunInfo& first = runs.front().document->run;
  pivot.common.push_back(first.workload + (first.device.empty() ? "" : " on " + first.device));
  for (const std::string& name : parameter_names(*runs.front().document)) {
    std::set<std::string> texts;
    for (const Row& row : rows) texts.insert(text_of(row, name));
    if (texts.size() == 1) pivot.common.push_back(name + " " + *texts.begin());
  }
  return pivot;
}

}  // namespace bench::reports
