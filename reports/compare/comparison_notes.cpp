#include "reports/compare/comparison_notes.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "harness/core/text.hpp"
#include "reports/compare/comparison_table.hpp"
#include "reports/compare/timing.hpp"
#include "reports/shell.hpp"

namespace bench::reports {
namespace {

using statistics::Verdict;

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The first three, and how many more.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  const std::span<const std::string> first(names.data(), std::min(kNamed, names.size()));
  return join(first, ", ") +
         (names.size() > kNamed ? fmt::format(" and {} more", names.size() - kNamed) : "");
}

void note_noise(const Comparison& comparison, std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    const SideSummary& summary = comparison.summaries[i];
    if (summary.compared == 0) continue;
    const std::string who = comparison.sides.size() > 1 ? comparison.sides[i].name + ": " : "";
    if (!summary.noise_used) {
      notes.push_back(who + "intervals are over the medians of the processes, at least 4 on each side");
    } else if (summary.noise_assumed) {
      notes.push_back(fmt::format(
          "{}the interval allows for {:.0f}% between any two processes, an assumption: both are single "
          "processes{}",
          who, 100 * summary.noise,
          measured_by_bench(comparison) ? ", and bench run --repeat 5 on both sides would measure it" : ""));
    } else {
      notes.push_back(fmt::format(
          "{}two processes of the same program were seen to differ by up to {:.2g}% (95%), and the interval "
          "allows for that",
          who, 100 * summary.noise));
    }
  }
}

// What is counted should be the same in every process of a side.
void note_disagreements(const Comparison& comparison, std::vector<std::string>& notes) {
  std::set<std::string> said;
  const auto add = [&](const std::string& name, const ComparedCase& row, const Exact& exact, double least,
                       double largest) {
    if (least == largest) return;
    const std::string line =
        fmt::format("{}: {}: {} is {:.0f} to {:.0f}, depending on the process; the largest is compared", name,
                    row.about.configuration.id(), exact.metric, least, largest);
    if (said.insert(line).second) notes.push_back(line);
  };
  for (const ComparedCase& row : comparison.cases) {
    for (std::size_t i = 0; i < row.sides.size(); ++i) {
      for (const Exact& exact : row.sides[i].exact) {
        add(comparison.base.name, row, exact, exact.base_least, exact.base);
        add(comparison.sides[i].name, row, exact, exact.least, exact.value);
      }
    }
  }
}

// Of the command as it was typed: in `processes` fresh processes, into a new place.
std::string repeated_command(const std::vector<std::string>& argv, int processes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    bool dropped = false;
    for (const std::string option : {"--out", "--repeat", "--resume"}) {
      if (argv[i] == option)
        ++i, dropped = true;
      else if (argv[i].starts_with(option + "="))
        dropped = true;
      if (dropped) break;
    }
    if (!dropped) words.push_back(argv[i]);
  }
  words.insert(words.end(), {"--repeat", fmt::format("{}", processes)});
  return shell_line(words);
}

}  // namespace

std::vector<std::string> summary_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    const SideSummary& summary = comparison.summaries[i];
    std::vector<std::string> parts;
    for (const Verdict verdict : {Verdict::slower, Verdict::faster, Verdict::same, Verdict::undecided}) {
      const auto found = summary.verdicts.find(verdict);
      if (found != summary.verdicts.end())
        parts.push_back(fmt::format("{} {}", found->second, to_text(verdict)));
    }
    std::string line = comparison.sides.size() > 1 ? comparison.sides[i].name + ": " : "";
    line += counted(summary.compared, "time") + " compared" + (parts.empty() ? "" : ": " + join(parts, ", "));
    if (summary.mean_cases > 1)
      line += fmt::format("; geometric mean of the {}changes {}, 95% interval {}",
                          summary.mean_cases < summary.compared ? "cases' first " : "",
                          percent(*summary.mean_ratio), percent_range(*summary.mean_interval));
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> comparison_notes(const Comparison& comparison) {
  std::vector<std::string> notes;
  const std::string threshold = fmt::format("{:.3g}%", 100 * comparison.options.threshold);
  notes.push_back(fmt::format(
      "slower, faster: the whole interval of the change lies beyond ±{0}; same: all of it lies within; "
      "undecided: neither. ±{0} is --threshold: no noise floor of this host is stored",
      threshold));
  note_noise(comparison, notes);
  if (const double alarms = expected_false_alarms(comparison); alarms > 0.025)
    notes.push_back(
        fmt::format("by chance alone up to {:.2g} of these times would be called slower where nothing "
                    "changed, and as many "
                    "faster: verdicts are not corrected for the number of times; measure again what decides",
                    alarms));
  notes.push_back(
      "the change is a Hodges-Lehmann shift, the median of the ratios of all pairs, and need not equal the "
      "ratio of the two medians");
  notes.push_back(
      "times: median ± its 95% interval (the farther end); bytes and counts are compared exactly");
  std::set<std::string> said;
  for (const SideSummary& summary : comparison.summaries)
    for (const std::string& difference : summary.differences)
      if (said.insert(difference).second) notes.push_back("warning: " + difference);
  std::set<std::string> reasons;
  const auto add_reason = [&](const std::string& name, const ComparedCase& row, const Timed& timed) {
    std::string why = timed.reason;
    if (timed.status != Status::ok) why = words(timed.status) + (why.empty() ? "" : ": " + why);
    if (why.empty()) return;
    const std::string line = fmt::format("{}: {}: {}", name, row.about.configuration.id(), why);
    if (reasons.insert(line).second) notes.push_back(line);
  };
  for (const ComparedCase& row : comparison.cases) {
    add_reason(comparison.base.name, row, row.base);
    for (std::size_t i = 0; i < row.sides.size(); ++i)
      add_reason(comparison.sides[i].name, row, row.sides[i].timed);
  }
  note_disagreements(comparison, notes);
  return notes;
}

std::vector<std::string> unmatched_notes(const Comparison& comparison) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    const SideSummary& summary = comparison.summaries[i];
    const auto add = [&](const std::vector<std::string>& ids, const std::string& name) {
      if (!ids.empty())
        notes.push_back(
            fmt::format("only in {}: {} ({})", name, some_of(ids), counted(std::ssize(ids), "case")));
    };
    add(summary.only_base,
        comparison.base.name + (comparison.sides.size() > 1 ? ", not in " + comparison.sides[i].name : ""));
    add(summary.only_here, comparison.sides[i].name);
  }
  return notes;
}

std::vector<std::string> next_commands(const Comparison& comparison) {
  if (!any_undecided(comparison)) return {};
  std::int64_t processes = 1;
  for (const ComparedCase& row : comparison.cases) {
    processes = std::max(processes, row.base.processes);
    for (const ComparedSide& side : row.sides) processes = std::max(processes, side.timed.processes);
  }
  const int next = processes < 5 ? 5 : static_cast<int>(std::min<std::int64_t>(2 * processes, 100));
  std::vector<std::string> commands;
  const auto add = [&](const Document& document) {
    if (!document.run.measured_by.empty()) return;
    const std::string command = repeated_command(document.run.argv, next);
    if (std::ranges::find(commands, command) == commands.end()) commands.push_back(command);
  };
  add(*comparison.base.document);
  for (const Side& side : comparison.sides) add(*side.document);
  return commands;
}

}  // namespace bench::reports
