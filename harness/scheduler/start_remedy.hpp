#pragma once

#include <string>
#include <string_view>

namespace bench::scheduler {

// What helps a program that did not start, by what it or the kernel said last; "" where that tells nothing.
// A variable of the environment that is to blame is named.
std::string start_remedy(std::string_view said);

}  // namespace bench::scheduler
