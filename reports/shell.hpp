#pragma once

#include <string>
#include <vector>

namespace bench::reports {

// The words as a shell would need them typed.
std::string shell_line(const std::vector<std::string>& argv);

}  // namespace bench::reports
