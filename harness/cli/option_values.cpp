#include "harness/cli/option_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::cli {

void refuse_misplaced_values(const std::vector<std::string>& words, const std::vector<KnownOption>& options) {
  const auto known = [&](const std::string& word) {
    return std::ranges::find(options, word.substr(0, word.find('=')), &KnownOption::name);
  };
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    const auto option = known(*word);
    if (option == options.end()) continue;
    const bool has_value = word->find('=') != std::string::npos;
    if (has_value && !option->takes_value)
      throw Error(ErrorKind::usage, fmt::format("{0} takes no value: write {0} alone", option->name));
    if (has_value || !option->takes_value) continue;
    const auto value = word + 1;
    if (value != words.end() && known(*value) == options.end()) {
      word = value;
      continue;
    }
    throw Error(
        ErrorKind::usage,
        fmt::format("{} needs a value ({}{}): {}{}", option->name, option->type,
                    value == words.end() ? "" : "; " + printable(*value) + " is an option", option->meaning,
                    option->example.empty()
                        ? ""
                        : fmt::format("; for example {} {}", option->name, option->example)));
  }
}

}  // namespace bench::cli
