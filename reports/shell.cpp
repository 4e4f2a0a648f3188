#include "reports/shell.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "harness/core/text.hpp"

namespace bench::reports {

std::string shell_line(const std::vector<std::string>& argv) {
  std::vector<std::string> words;
  for (const std::string& word : argv) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) != 0 ||
             std::string_view("-_./:,=+%@").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) {
      words.push_back(word);
      continue;
    }
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    words.push_back(quoted + "'");
  }
  return join(words, " ");
}

std::string published_line(std::vector<std::string> argv) {
  if (!argv.empty()) argv.front() = std::filesystem::path(argv.front()).filename().string();
  return shell_line(argv);
}

}  // namespace bench::reports
