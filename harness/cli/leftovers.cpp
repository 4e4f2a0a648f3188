#include "harness/cli/leftovers.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::cli {
namespace {

// "bench run model"
std::string as_typed(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : as_typed(*parent) + " " + command.get_name();
}

// Without its value.
std::string option_of(const std::string& word) {
  return word.substr(0, word.find('='));
}

}  // namespace

bool is_option(const std::string& word) {
  return word.starts_with('-');
}

void refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  const auto unknown = std::ranges::find_if(extras, is_option);
  if (unknown == extras.end())
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is one argument too many for `{}`",
                                              printable(extras.front()), as_typed(command)));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string typed = option_of(*unknown);
  const auto near = nearest(typed, names);
  throw Error(ErrorKind::usage, fmt::format("{} has no option {}{}", command.get_name(), printable(typed),
                                            near ? "; did you mean " + *near + "?" : "; --help lists them"));
}

void refuse_before(const std::string& followed, const CLI::App& command) {
  const std::vector<std::string> before = command.remaining();
  if (before.empty()) return;
  throw Error(ErrorKind::usage, fmt::format("{} comes directly after `{}`; {} is before it", followed,
                                            as_typed(command), printable(before.front())));
}

void refuse_options_of(const CLI::App& workload, const std::vector<std::string>& typed,
                       const std::string& resumed) {
  for (const std::string& word : typed)
    if (is_option(word) && workload.get_option_no_throw(option_of(word)) != nullptr)
      throw Error(ErrorKind::usage,
                  fmt::format("{0} is an option of a workload, so its name comes first: `bench run "
                              "WORKLOAD --resume {1} {0} ...`",
                              option_of(word), printable(resumed)));
}

void refuse_twice(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() == 1 && option->count() > 1 &&
        option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw)
      throw Error(ErrorKind::usage,
                  fmt::format("{} is given more than once, and takes one value", option->get_name()));
  for (const CLI::App* command : app.get_subcommands()) refuse_twice(*command);
}

}  // namespace bench::cli
