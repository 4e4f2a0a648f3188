#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>

namespace bench::machine {

// `ancestor` and every process below it that lives. Never throws.
std::set<std::int64_t> descendants_of(pid_t ancestor, const std::string& root = "");

}  // namespace bench::machine
