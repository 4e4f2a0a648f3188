#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/registry/workload_spec.hpp"

namespace bench::model {

// Rewrites a case into its one canonical form; `named` are the parameters that the person stated.
//   --size large --layers 4                            size:large/layers:4
//   --d-model 64 --d-ff 256 --layers 2 --heads 4       size:custom and the four
//   --layers 4                                         size:small/layers:4
//   dimensions equal to a named size                   that size
// A dimension that the size implies is not in the map, nor is a parameter without effect: the optimizer and
// its settings outside train-step, the loss in forward. So equal configurations are one case. A canonical
// case with all its parameters named stays as it is.
void canonicalize(Case& configuration, const std::set<std::string>& named);

// The program of kImplementations that runs the case.
std::string_view program_of(const Case& configuration);
// What a peer lacks makes a skipped row.
registry::Support supports(const Case& configuration, const std::string& device,
                           const machine::Machine& machine);
// The native case whose check a peer shares: without what neither the reference nor the yardstick depends on.
Case reference_case(const Case& configuration);
// With the dimensions that its size has.
Case spell_out(const Case& configuration);

// What can work on no machine, each with the nearest values that can.
std::vector<registry::UsageError> validate(const Case& configuration);

}  // namespace bench::model
