#pragma once

#include <string>

#include <fmt/format.h>

namespace bench::reports {

// `name`, or where that is taken "name-2", "name-3", ...: what readers tell things apart by.
template <typename IsTaken>
std::string free_name(const std::string& name, IsTaken is_taken) {
  std::string candidate = name;
  for (int suffix = 2; is_taken(candidate); ++suffix) candidate = fmt::format("{}-{}", name, suffix);
  return candidate;
}

}  // namespace bench::reports
