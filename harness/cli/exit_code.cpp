#include "harness/cli/exit_code.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace bench::cli {

int exit_code(const std::vector<CaseResult>& cases) {
  if (std::ranges::any_of(cases, is_failure, &CaseResult::status)) return 1;
  const auto is_skipped = [](Status status) { return status == Status::skipped; };
  if (!cases.empty() && std::ranges::all_of(cases, is_skipped, &CaseResult::status))
    throw Error(ErrorKind::environment, fmt::format("every case was skipped: {}", cases.front().reason.text));
  return 0;
}

}  // namespace bench::cli
