#pragma once

#include <map>
#include <string>

namespace bench::machine {

// The environment variables that change speed or results: those of core/recorded_conditions. Nothing else of
// the environment is ever read into a result: result files are shared, and environments hold credentials.
std::map<std::string, std::string> read_variables();

}  // namespace bench::machine
