#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "reports/compare/comparison.hpp"

namespace bench::reports {

// The rows of one case: one a process.
using Repetitions = std::vector<const CaseResult*>;

// A side's cases by what they are joined on: workload and parameter map, whatever the order, what an older
// document lacks filled in.
class CaseIndex {
 public:
  // Throws Error(usage) for a case that is there twice.
  CaseIndex(const Side& side, const CompareOptions& options);

  const std::vector<std::string>& keys() const { return keys_; }  // in the document's order
  const Repetitions* find(const std::string& key) const;          // nullptr: not here

 private:
  std::vector<std::string> keys_;
  std::unordered_map<std::string, Repetitions> groups_;
};

}  // namespace bench::reports
