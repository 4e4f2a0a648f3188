#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "reports/compare/comparison.hpp"

namespace bench::reports {

// Each in the file of its name.
std::string comparison_markdown(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
std::string comparison_csv(const Comparison& comparison);

const std::vector<CompareFormat>& compare_formats() {
  static const std::vector<CompareFormat> all{
      {"markdown", comparison_markdown},
      {"json", comparison_json},
      {"csv", comparison_csv},
  };
  return all;
}

const CompareFormat& compare_format_named(std::string_view name) {
  const auto found = std::ranges::find(compare_formats(), name, &CompareFormat::name);
  if (found != compare_formats().end()) return *found;
  std::vector<std::string> names;
  for (const CompareFormat& format : compare_formats()) names.push_back(format.name);
  throw Error(ErrorKind::usage,
              fmt::format("unknown format \"{}\"{}", printable(name), did_you_mean(name, names)));
}

}  // namespace bench::reports
