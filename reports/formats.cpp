#include "reports/formats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::reports {

// Each in the file of its name.
std::string markdown(const Document& document);
std::string html(const Document& document);
std::string json(const Document& document);
std::string csv(const Document& document);
std::string latex(const Document& document);
std::string google_benchmark(const Document& document);
std::string github_action_benchmark(const Document& document);
std::string github_action_benchmark_rates(const Document& document);
std::string nvbench(const Document& document);

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {"markdown", "tables as people paste them in issues", "md", markdown},
      {"html", "one self-contained page: tables, charts, samples", "html", html},
      {"json", "the whole document: everything else derives from it", "json", json},
      {"csv", "one row per case and metric, for spreadsheets", "csv", csv},
      {"latex", "a table with booktabs rules, for \\input", "tex", latex},
      {"google-benchmark", "a repetition per sample, for compare.py", "json", google_benchmark},
      {"github-action-benchmark", "times and bytes, for customSmallerIsBetter", "json",
       github_action_benchmark},
      {"github-action-benchmark-rates", "rates, for customBiggerIsBetter", "json",
       github_action_benchmark_rates},
      {"nvbench", "for nvbench's compare scripts", "json", nvbench},
  };
  return all;
}

const Format& format_named(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  if (found != formats().end()) return *found;
  std::vector<std::string> names;
  for (const Format& format : formats()) names.push_back(format.name);
  throw Error(ErrorKind::usage,
              fmt::format("unknown format \"{}\"{}", printable(name), did_you_mean(name, names)));
}

}  // namespace bench::reports
