#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/table.hpp"

// What every Markdown report is made of.
namespace bench::reports {

// Text that stays text in GitHub's Markdown, inside a table too: no markup, no HTML, no mention of a user.
std::string escaped(std::string_view raw);

// Text as code, whatever backticks it holds. Not for tables, where a | would end the cell.
std::string code(std::string_view raw);

// Columns and rows alone.
std::string markdown_table(const Table& table);

// "- line" each.
std::string list_of(const std::vector<std::string>& lines);

}  // namespace bench::reports
