#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::reports {

// The options of measuring that can be an axis. A case has them only where they differ from the default, so
// that reports take them from its policy otherwise.
inline const std::vector<std::string> kMeasurementParameters{"warmup", "timing", "cache"};

// The names of all cases' own parameters, in declared order, without kMeasurementParameters.
std::vector<std::string> parameter_names(const Document& document);

// nullopt: this case has no such parameter. "workload", "repetition" and kMeasurementParameters have a value
// in every case.
std::optional<Value> parameter_of(const CaseResult& result, const std::string& name);

// The same of a case of `document`. How another program measured is known only where its file names it.
std::optional<Value> parameter_of(const Document& document, const CaseResult& result,
                                  const std::string& name);

// The one value that all cases with this parameter have; nullopt when there are several, or none.
std::optional<Value> common_value(const Document& document, const std::string& name);

// The parameters that tell this document's cases apart, of "workload", parameter_names and
// kMeasurementParameters: those with more than one value, and as many of those that are only sometimes there
// as it takes.
std::vector<std::string> varying_parameters(const Document& document);

// "size:small/context:256", of those names only; "" without any.
std::string case_label(const CaseResult& result, const std::vector<std::string>& names);

}  // namespace bench::reports
