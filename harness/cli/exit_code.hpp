#pragma once

#include <vector>

#include "harness/core/result.hpp"

namespace bench::cli {

// Of a run that went to its end: 1 where a case went wrong, else 0. Throws Error(environment) where every
// case was skipped.
int exit_code(const std::vector<CaseResult>& cases);

}  // namespace bench::cli
