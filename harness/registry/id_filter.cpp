#include "harness/registry/id_filter.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::registry {
namespace {

std::optional<std::regex> compile(const char* option, const std::string& pattern) {
  if (pattern.empty()) return std::nullopt;
  try {
    return std::regex(pattern, std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw Error(ErrorKind::usage, fmt::format("--{}: \"{}\" is not a regular expression: {}", option,
                                              printable(pattern), error.what()));
  }
}

}  // namespace

IdFilter::IdFilter(const std::string& filter, const std::string& exclude)
    : filter_(compile("filter", filter)), exclude_(compile("exclude", exclude)) {}

bool IdFilter::keeps(const std::string& id) const {
  if (filter_ && !std::regex_search(id, *filter_)) return false;
  return !exclude_ || !std::regex_search(id, *exclude_);
}

}  // namespace bench::registry
