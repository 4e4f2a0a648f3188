#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/core/case.hpp"
#include "harness/registry/workload_spec.hpp"

namespace bench::attention {

// Rewrites a case into its one canonical form; `named` are the parameters that the person stated.
//   --tokens 16384 --sequence 1024       batch:16
//   --d-model 2048 --d-head 64           heads:32
//   as many keys as queries              no keys; bottom-right is then the same mask as yes
// A total that does not divide, or that contradicts what it would set, stays for validate() to refuse.
void canonicalize(Case& configuration, const std::set<std::string>& named);

// What can work on no machine.
std::vector<registry::UsageError> validate(const Case& configuration);

}  // namespace bench::attention
