#include "harness/worker/arguments.hpp"

#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"

namespace bench::worker {
namespace {

template <typename T>
T whole_number(std::string_view option, std::string_view text) {
  const auto value = number_from<T>(text);
  if (!value || *value < T{})
    throw Error(ErrorKind::usage,
                fmt::format("{}: \"{}\" is not a whole number of at least 0", option, text));
  return *value;
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  using Take = std::function<void(const std::string&)>;
  const std::map<std::string, Take> with_value{
      {"--command-fd", [&](const auto& v) { arguments.command_fd = whole_number<int>("--command-fd", v); }},
      {"--event-fd", [&](const auto& v) { arguments.event_fd = whole_number<int>("--event-fd", v); }},
      {"--parent-pid", [&](const auto& v) { arguments.parent_pid = whole_number<int>("--parent-pid", v); }},
      {"--rank", [&](const auto& v) { arguments.rank = whole_number<int>("--rank", v); }},
      {"--ranks", [&](const auto& v) { arguments.ranks = whole_number<int>("--ranks", v); }},
      {"--local-rank", [&](const auto& v) { arguments.local_rank = whole_number<int>("--local-rank", v); }},
      {"--local-ranks",
       [&](const auto& v) { arguments.local_ranks = whole_number<int>("--local-ranks", v); }},
      {"--store-host", [&](const auto& v) { arguments.store_host = v; }},
      {"--store-port", [&](const auto& v) { arguments.store_port = whole_number<int>("--store-port", v); }},
      {"--store-prefix", [&](const auto& v) { arguments.store_prefix = v; }},
      {"--store-fd", [&](const auto& v) { arguments.store_fd = whole_number<int>("--store-fd", v); }},
      {"--pages-fd", [&](const auto& v) { arguments.pages_fd = whole_number<int>("--pages-fd", v); }},
      {"--case", [&](const auto& v) { arguments.case_id = v; }},
      {"--steps", [&](const auto& v) { arguments.steps = whole_number<int>("--steps", v); }},
      {"--warmup", [&](const auto& v) { arguments.warmup = whole_number<int>("--warmup", v); }},
      {"--seed", [&](const auto& v) { arguments.seed = whole_number<std::uint64_t>("--seed", v); }},
      {"--inject-fault", [&](const auto& v) { arguments.inject_fault = v; }},
      {"--memory-limit", [&](const auto& v) { arguments.memory_limit_bytes = parse_bytes(v); }},
      {"--device", [&](const auto& v) { arguments.device = v; }},
      {"--memory-budget", [&](const auto& v) { arguments.memory_budget_bytes = parse_bytes(v); }},
  };
  const std::map<std::string, std::function<void()>> flags{
      {"--may-spin", [&] { arguments.may_spin = true; }},
      {"--no-check", [&] { arguments.check = false; }},
      {"--host-defaults", [&] { arguments.host_defaults = true; }},
      {"--help", [&] { arguments.help = true; }},
  };
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    std::string value;
    const std::size_t equals = option.find('=');
    const bool joined = equals != std::string::npos;
    if (joined) {
      value = option.substr(equals + 1);
      option.erase(equals);
    }
    if (const auto flag = flags.find(option); flag != flags.end() && !joined) {
      flag->second();
    } else if (const auto take = with_value.find(option); take != with_value.end()) {
      if (!joined && i + 1 >= argc) throw Error(ErrorKind::usage, fmt::format("{} needs a value", option));
      take->second(joined ? value : argv[++i]);
    } else {
      std::vector<std::string> names;
      for (const auto& [name, unused] : with_value) names.push_back(name);
      for (const auto& [name, unused] : flags) names.push_back(name);
      throw Error(ErrorKind::usage,
                  fmt::format("there is no option {}{}", printable(option), did_you_mean(option, names)));
    }
  }
  return arguments;
}

std::string usage_text(std::string_view program) {
  return fmt::format(
      "{0} runs cases for bench, which starts it. By itself it runs one case and prints its events, one "
      "JSON\n"
      "object a line: this is what to give to gdb, valgrind or compute-sanitizer.\n\n"
      "  {0} --case ID [--device NAME] [--steps 10] [--warmup N] [--seed 0] [--no-check]\n"
      "      [--memory-limit 8GiB] [--inject-fault NAME] [--host-defaults]\n\n"
      "A case id is printed by `bench run`; what it leaves out has its default: --case model/size:small\n",
      program);
}

}  // namespace bench::worker
