#include "reports/compare/comparison_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "reports/compare/comparison_notes.hpp"
#include "reports/parameters.hpp"
#include "reports/scale.hpp"

namespace bench::reports {
namespace {

constexpr std::string_view kNothing = "–";

// The cases as a document, for what parameters.hpp says about one.
Document cases_of(const Comparison& comparison) {
  Document document;
  for (const ComparedCase& row : comparison.cases) document.cases.push_back(row.about);
  return document;
}

class Builder {
 public:
  explicit Builder(const Comparison& comparison)
      : comparison_(comparison), one_side_(comparison.sides.size() == 1) {
    for (const ComparedCase& row : comparison.cases)
      if (!row.metric.empty()) metrics_.insert(row.metric);
  }

  Table build() {
    const RunInfo& run = comparison_.base.document->run;
    std::vector<std::string> names;
    for (const Side& side : comparison_.sides) names.push_back(side.name);
    table_.title =
        fmt::format("{}{}: {} against {}", run.workload, run.device.empty() ? "" : " on " + run.device,
                    join(names, ", "), comparison_.base.name);
    table_.rows.resize(comparison_.cases.size());
    add_parameters();
    if (metrics_.size() > 1) {
      std::vector<std::string> cells;
      for (const ComparedCase& row : comparison_.cases) cells.push_back(row.metric);
      add_column({"time", "", Alignment::left}, std::move(cells));
    }
    table_.key_columns = table_.columns.size();
    add_times();
    add_exact();
    table_.problems = unmatched_notes(comparison_);
    table_.notes = comparison_notes(comparison_);
    return std::move(table_);
  }

 private:
  void add_column(Column column, std::vector<std::string> cells) {
    table_.columns.push_back(std::move(column));
    for (std::size_t row = 0; row < cells.size(); ++row) table_.rows[row].push_back(std::move(cells[row]));
  }

  void add_parameters() {
    const Document document = cases_of(comparison_);
    const std::vector<std::string> varying = varying_parameters(document);
    for (const std::string& name : parameter_names(document)) {
      const auto common = common_value(document, name);
      if (common && std::ranges::find(varying, name) == varying.end())
        table_.common.push_back(name + " " + to_text(*common));
    }
    for (const std::string& name : varying) {
      Column column{name, "", Alignment::right};
      std::vector<std::string> cells;
      for (const ComparedCase& row : comparison_.cases) {
        const auto value = parameter_of(row.about, name);
        if (value && std::holds_alternative<std::string>(*value)) column.alignment = Alignment::left;
        cells.push_back(value ? to_text(*value) : std::string(kNothing));
      }
      add_column(std::move(column), std::move(cells));
    }
    if (varying.empty()) {  // a single case: a row needs a name
      std::vector<std::string> cells;
      for (const ComparedCase& row : comparison_.cases) cells.push_back(row.about.configuration.workload);
      add_column({"workload", "", Alignment::left}, std::move(cells));
    }
  }

  // "step in NAME", or "time in NAME" where rows show several.
  std::string heading(const std::string& name) const {
    return (metrics_.size() == 1 ? *metrics_.begin() : "time") + " in " + name;
  }

  std::string time_cell(const Timed& timed) const {
    if (timed.status != Status::ok) return words(timed.status);
    if (timed.processes == 0) return std::string(kNothing);
    std::string cell = format_scaled(timed.median_ns, scale_);
    if (timed.interval_ns)
      cell += " ± " + format_scaled(std::max(timed.interval_ns->high - timed.median_ns,
                                             timed.median_ns - timed.interval_ns->low),
                                    scale_);
    return cell;
  }

  void add_times() {
    std::vector<double> values, distances;
    for (const ComparedCase& row : comparison_.cases) {
      const auto add = [&](const Timed& timed) {
        if (timed.processes == 0) return;
        values.push_back(timed.median_ns);
        if (timed.interval_ns) distances.push_back(timed.interval_ns->high - timed.median_ns);
      };
      add(row.base);
      for (const ComparedSide& side : row.sides) add(side.timed);
    }
    scale_ = choose_scale("ns", values, distances);

    std::vector<std::string> base_cells;
    for (const ComparedCase& row : comparison_.cases) base_cells.push_back(time_cell(row.base));
    add_column({heading(comparison_.base.name), scale_.unit, Alignment::right}, std::move(base_cells));
    for (std::size_t i = 0; i < comparison_.sides.size(); ++i) {
      std::vector<std::string> times, changes, intervals, verdicts;
      for (const ComparedCase& row : comparison_.cases) {
        const ComparedSide& side = row.sides[i];
        const std::string nothing(kNothing);
        times.push_back(side.present ? time_cell(side.timed) : nothing);
        changes.push_back(side.change ? percent(side.change->ratio) : nothing);
        intervals.push_back(side.change && side.change->ratio_interval
                                ? percent_range(*side.change->ratio_interval)
                                : nothing);
        verdicts.push_back(side.change ? std::string(to_text(side.change->verdict)) : nothing);
        if (!one_side_ && side.change) {
          times.back() +=
              fmt::format(", {}{}, {}", changes.back(),
                          intervals.back() == nothing ? "" : " (" + intervals.back() + ")", verdicts.back());
        }
      }
      add_column({heading(comparison_.sides[i].name), scale_.unit, Alignment::right}, std::move(times));
      if (!one_side_) continue;
      add_column({"change", "", Alignment::right}, std::move(changes));
      add_column({"95% interval of the change", "", Alignment::right}, std::move(intervals));
      add_column({"verdict", "", Alignment::left}, std::move(verdicts));
    }
  }

  // Peak memory always, another exact quantity where it differs somewhere.
  void add_exact() {
    std::vector<std::string> shown;
    for (const ComparedCase& row : comparison_.cases)
      for (const ComparedSide& side : row.sides)
        for (const Exact& exact : side.exact)
          if ((exact.kind == Quantity::memory || exact.base != exact.value) &&
              std::ranges::find(shown, exact.metric) == shown.end())
            shown.push_back(exact.metric);
    for (const std::string& metric : shown)
      for (std::size_t i = 0; i < comparison_.sides.size(); ++i) add_exact_column(metric, i);
  }

  void add_exact_column(const std::string& metric, std::size_t index) {
    std::vector<const Exact*> found;
    std::vector<double> values;
    Exact about{.metric = metric, .unit = "1"};
    for (const ComparedCase& row : comparison_.cases) {
      const auto& exact = row.sides[index].exact;
      const auto one = std::ranges::find(exact, metric, &Exact::metric);
      found.push_back(one == exact.end() ? nullptr : &*one);
      if (found.back() == nullptr) continue;
      about = *one;
      values.push_back(one->base);
      values.push_back(one->value);
    }
    const Scale scale = choose_scale(about.unit, values);
    std::vector<std::string> cells;
    for (const Exact* exact : found)
      cells.push_back(exact == nullptr ? std::string(kNothing) : exact_cell(*exact, scale));
    auto [name, printed_unit] = heading_of(about.heading, about.kind, scale);
    if (!one_side_) name += " in " + comparison_.sides[index].name;
    add_column({name, printed_unit, Alignment::right}, std::move(cells));
  }

  static std::string exact_cell(const Exact& exact, const Scale& scale) {
    const std::string before = format_scaled(exact.base, scale), after = format_scaled(exact.value, scale);
    if (exact.base == exact.value) return before + ", same";
    if (before == after)
      return fmt::format("{}, {:+.0f} {}", before, exact.value - exact.base,
                         exact.unit == "1" ? "" : exact.unit);
    return fmt::format("{} → {}, {}", before, after,
                       exact.base > 0 ? percent(exact.value / exact.base) : "changed");
  }

  const Comparison& comparison_;
  bool one_side_;
  std::set<std::string> metrics_;
  Scale scale_;
  Table table_;
};

}  // namespace

std::string percent(double ratio) {
  const double share = 100 * (ratio - 1);
  const double magnitude = std::abs(share);
  const int decimals = magnitude >= 99.5 ? 0 : magnitude >= 0.995 ? 1 : 2;
  return fmt::format("{}{:.{}f}%", share < 0 ? "−" : "+", magnitude, decimals);
}

std::string percent_range(const statistics::Interval& ratios) {
  return percent(ratios.low) + " to " + percent(ratios.high);
}

Table comparison_table(const Comparison& comparison) {
  return Builder(comparison).build();
}

}  // namespace bench::reports
