#include "reports/formats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::reports {

// Each in the file of its name.
std::string markdown(const Document& document);
std::string json(const Document& document);
std::string csv(const Document& document);

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {"markdown", "tables as people paste them in issues", "md", markdown},
      {"json", "the whole document: everything else derives from it", "json", json},
      {"csv", "one row per case and metric, for spreadsheets", "csv", csv},
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
