#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench::reports {

// The headings of parameters' columns beside columns named `fixed`, all different: a parameter whose name is
// taken is called "parameter_n".
std::vector<std::string> parameter_headings(const std::vector<std::string>& names,
                                            const std::vector<std::string>& fixed);

// One cell as RFC 4180 has it. Spreadsheets run text that begins with = + - @ as a formula: an apostrophe
// keeps it text. Control characters, line breaks among them, become '?'.
std::string csv_text(std::string_view text);

// Cells that are safe already, with commas and the line's end.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace bench::reports
