#pragma once

#include <string>
#include <vector>

#include "harness/core/result.hpp"

// What tells the cases of another program's file apart. Nothing is lost of a name or a value: two cases that
// differ there differ here.
namespace bench::reports {

// A number where it prints back to the same text: "64", "0.5". Anything else, "3.10" or "007", stays text.
Value value_of_text(const std::string& text);

// Adds a parameter. One whose name the case has already, or by which reports mean something else ("workload",
// "repetition", "run"), is called "name-2".
void add_parameter(Case& configuration, const std::string& name, Value value);

// Cases that are called alike are told apart by their place: the second of them has an `occurrence` of 2.
void number_occurrences(std::vector<CaseResult>& cases);

}  // namespace bench::reports
