#include "reports/csv_text.hpp"

#include "harness/core/text.hpp"

namespace bench::reports {

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
