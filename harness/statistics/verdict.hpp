#pragma once

#include <string_view>

#include "harness/statistics/interval.hpp"

namespace bench::statistics {

enum class Verdict { faster, same, slower, undecided };

std::string_view to_text(Verdict verdict);

// Of the interval of ln(new time / old time), against differences up to the share `delta` (0.01: 1%), which
// nobody cares about: slower or faster if the whole interval lies beyond +-ln(1 + delta), same if all of it
// lies inside, undecided otherwise.
Verdict verdict_on(const Interval& log_ratio, double delta);

}  // namespace bench::statistics
