#include "harness/machine/variables.hpp"

#include <algorithm>
#include <string_view>

#include "harness/core/recorded_conditions.hpp"
#include "harness/core/text.hpp"

extern char** environ;

namespace bench::machine {

std::map<std::string, std::string> read_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, equals);
    if (variable_row(name) == nullptr) continue;
    variables[printable(name)] = printable(text.substr(std::min(equals + 1, text.size())));
  }
  return variables;
}

}  // namespace bench::machine
