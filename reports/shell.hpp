#pragma once

#include <string>
#include <vector>

namespace bench::reports {

// The words as a shell would need them typed.
std::string shell_line(const std::vector<std::string>& argv);

// The same for a report that others read: of the program only its name, as its folder is of no use to them.
std::string published_line(std::vector<std::string> argv);

}  // namespace bench::reports
