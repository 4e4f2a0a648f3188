#pragma once

#include <optional>
#include <regex>
#include <string>

namespace bench::registry {

// --filter and --exclude: regular expressions, found anywhere in a case id. Empty: none.
class IdFilter {
 public:
  // Throws Error(usage) for what is no regular expression.
  IdFilter(const std::string& filter, const std::string& exclude);
  bool keeps(const std::string& id) const;

 private:
  std::optional<std::regex> filter_, exclude_;
};

}  // namespace bench::registry
