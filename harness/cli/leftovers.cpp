#include "harness/cli/leftovers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::cli {
namespace {

// Without its value.
std::string option_of(const std::string& word) {
  return word.substr(0, word.find('='));
}

}  // namespace

bool is_option(const std::string& word) {
  return word.starts_with('-');
}

void refuse_extras(const Leftovers& left) {
  if (left.words.empty()) return;
  const auto unknown = std::ranges::find_if(left.words, is_option);
  if (unknown == left.words.end())
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is one argument too many for `{}`",
                                              printable(left.words.front()), left.command));
  const std::string typed = option_of(*unknown);
  const auto near = nearest(typed, left.options);
  throw Error(ErrorKind::usage,
              fmt::format("{} has no option {}{}", left.command.substr(left.command.rfind(' ') + 1),
                          printable(typed), near ? "; did you mean " + *near + "?" : "; --help lists them"));
}

void refuse_before(const std::string& followed, const Leftovers& left) {
  if (left.words.empty()) return;
  throw Error(ErrorKind::usage, fmt::format("{} comes directly after `{}`; {} is before it", followed,
                                            left.command, printable(left.words.front())));
}

void refuse_options_of_workload(const std::vector<std::string>& options, const Leftovers& left,
                                const std::string& resumed) {
  for (const std::string& word : left.words)
    if (std::ranges::count(options, option_of(word)) > 0)
      throw Error(ErrorKind::usage,
                  fmt::format("{0} is an option of a workload, so its name comes first: `bench run WORKLOAD "
                              "--resume {1} {0} ...`",
                              option_of(word), printable(resumed)));
}

}  // namespace bench::cli
