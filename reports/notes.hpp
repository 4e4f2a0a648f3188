#pragma once

#include <string>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::reports {

// "size:large: out of memory: set-up: 14.4 GiB asked for, 11.2 GiB left": the cases that are not ok; those of
// one reason on one line, "size:small, size:large, size:xl and 2 more: skipped: ...".
std::vector<std::string> problems_of(const Document& document);

// What a reader must know about the numbers: how they were taken, whether the results were checked, where
// sampling stopped early, warnings. One line each; what is true of several cases is said once, and a
// remark that many have with other numbers each is said with those of the first: the document has them all.
std::vector<std::string> notes_of(const Document& document);

}  // namespace bench::reports
