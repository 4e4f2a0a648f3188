#pragma once

#include <cstdint>
#include <vector>

#include "harness/registry/expand.hpp"

// What a parameter that was given as `max` comes down to: every case it may stand for is made from what was
// asked for, as other parameters may follow from the value.
namespace bench::registry {

// The cases with the powers of two that the parameter may have, largest first, without those that could
// never work.
std::vector<Case> cases_of(const WorkloadSpec& spec, const Maximum& maximum);

// Makes it the largest that is not refused by cannot_fit or, where all are, the smallest: the case is then a
// row that says so. Relies on memory growing with the parameter. Throws Error(usage): no formula for the
// memory, or it is not known how much there is.
void set_largest(const WorkloadSpec& spec, PlannedCase& planned, const MemoryRoom& room);

// The next smaller case. False: none was asked for as `max`, or there is no smaller one.
bool make_smaller(const WorkloadSpec& spec, PlannedCase& planned);

}  // namespace bench::registry
