#include "reports/csv_text.hpp"

#include <set>

#include "harness/core/text.hpp"
#include "reports/free_name.hpp"

namespace bench::reports {

std::vector<std::string> parameter_headings(const std::vector<std::string>& names,
                                            const std::vector<std::string>& fixed) {
  std::set<std::string> taken(fixed.begin(), fixed.end());
  std::vector<std::string> headings;
  for (const std::string& name : names) {
    const std::string wanted = taken.contains(csv_text(name)) ? "parameter_" + name : name;
    headings.push_back(csv_text(free_name(
        wanted, [&](const std::string& candidate) { return !taken.insert(csv_text(candidate)).second; })));
  }
  return headings;
}

std::string csv_text(std::string_view text) {
  std::string cell = printable(text);
  if (!cell.empty() && std::string_view("=+-@").find(cell[0]) != std::string_view::npos &&
      !number_from<double>(cell)) {
    cell.insert(0, 1, '\'');
  }
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  return join(cells, ",") + "\r\n";
}

}  // namespace bench::reports
