#include "harness/cli/command_line.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/cli/completion.hpp"
#include "harness/cli/leftovers.hpp"
#include "harness/cli/option_values.hpp"
#include "harness/core/build_id.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/registry/registry.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/formats.hpp"

namespace bench::cli {
namespace {

// "choices; default" for the right-hand column of --help.
std::string describe(const Parameter& parameter) {
  std::string text = parameter.help;
  if (!parameter.choices.empty()) text += fmt::format(": {}", join(parameter.choices, ", "));
  if (!parameter.default_value.empty()) text += fmt::format(" [{}]", parameter.default_value);
  return text;
}

std::string type_name(const Parameter& parameter) {
  if (!parameter.unit.empty()) return parameter.unit;
  switch (parameter.kind) {
    case ParameterKind::integer:
      return "N";
    case ParameterKind::real:
      return "X";
    case ParameterKind::bytes:
      return "BYTES";
    case ParameterKind::choice:
    case ParameterKind::text:
      break;
  }
  return "NAME";
}

std::string preset_footer(const registry::WorkloadSpec& spec) {
  if (spec.presets.empty()) return "";
  std::string footer = "Presets:\n";
  for (const registry::Preset& preset : spec.presets)
    footer += fmt::format("  {:<26}{}{}\n", preset.name, preset.summary,
                          preset.lacking.empty() ? "" : "; unavailable: needs " + preset.lacking);
  return footer;
}

// Whatever can be an axis.
std::vector<std::string> parameter_names(const registry::WorkloadSpec& spec) {
  std::vector<std::string> names;
  for (const Parameter& parameter : spec.parameters) names.push_back(parameter.name);
  for (const Parameter& parameter : registry::measurement_parameters(spec)) names.push_back(parameter.name);
  return names;
}

// Options that are no axis of a workload; a preset may set them. The text is kept and read where it is used.
const std::vector<Parameter>& common_parameters() {
  static const std::vector<Parameter> parameters{
      {.name = "steps",
       .help = "timed samples of a case: a number, or auto (until the median is known to 1%) [10]",
       .unit = "N|auto"},
      {.name = "time-budget", .help = "for warm-up and samples of one case [60s]", .unit = "TIME"},
      {.name = "timeout",
       .help = "the longest that one case may take, set-up and check included [600s]",
       .unit = "TIME"},
      {.name = "seed", .help = "of weights, inputs and orders [0]", .unit = "N"},
      {.name = "repeat", .help = "of all cases, each time in fresh processes [1]", .unit = "N"},
      {.name = "max-cases",
       .help = "the most cases that a sweep may have [100; a preset: no limit]",
       .unit = "N"},
  };
  return parameters;
}

class CommandLine {
 public:
  CommandLine() : app_("bench measures how fast each part of a Transformer runs on this machine.", "bench") {
    app_.set_version_flag("--version", fmt::format("bench, build {}", build_id()));
    app_.get_formatter()->column_width(30);
    app_.allow_extras();
    app_.require_subcommand(0, 1);  // a folder may be called "run": bench report run
    add_list();
    add_run();
    add_compare();
    add_report();
    add_env();
    add_completion();
    app_.footer("\n`bench run WORKLOAD --help` lists a workload's parameters and presets.");
  }

  Request parse(const std::vector<std::string>& arguments) {
    refuse_misplaced_values(arguments, known_options(arguments));
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
      return Printed{app_.help()};
    } catch (const CLI::CallForVersion& version) {
      return Printed{std::string(version.what()) + "\n"};
    } catch (const CLI::ParseError&) {
      refuse_twice(app_);
      throw Error(ErrorKind::usage,
                  "these words are no command line of bench; `bench --help` shows how one is written");
    }
    if (run_->parsed()) refuse_options_after_dashes(arguments);
    return pick();
  }

 private:
  // The parser hands what follows `--` to the commands above, where it would pass for what came before.
  void refuse_options_after_dashes(const std::vector<std::string>& arguments) const {
    const auto late = std::find_if(std::ranges::find(arguments, "--"), arguments.end(),
                                   [](const std::string& word) { return word != "--" && is_option(word); });
    if (late == arguments.end()) return;
    const std::vector<CLI::App*> workload = run_->get_subcommands();
    throw Error(ErrorKind::usage,
                fmt::format("`--` ends the options of `{}`, so {} is none; leave `--` out",
                            as_typed(workload.empty() ? *run_ : *workload.front()), printable(*late)));
  }

  CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& summary) {
    CLI::App* command = parent.add_subcommand(name, summary);
    command->allow_extras();
    return command;
  }

  void add_list() {
    list_ = add_command(app_, "list", "workloads, parameters, presets, and why one is unavailable here");
    list_->add_option("pattern", list_request_.pattern, "only what matches this regular expression")
        ->type_name("REGEX");
    list_->add_flag("--json", list_request_.json, "as JSON");
  }

  // The same two for what is run and for what is read.
  template <class RequestWithFilters>
  static void add_filters(CLI::App& command, RequestWithFilters& request,
                          const std::string& group = "Options") {
    command.add_option("--filter", request.filter, "only cases whose id matches this regular expression")
        ->type_name("REGEX")
        ->group(group);
    command
        .add_option("--exclude", request.exclude, "without cases whose id matches this regular expression")
        ->type_name("REGEX")
        ->group(group);
  }

  void add_compare() {
    compare_ = add_command(app_, "compare", "compare runs with a base: one table with verdicts");
    compare_
        ->add_option(
            "runs", compare_request_.runs,
            "run directories or JSON files (bench's, Google Benchmark's, hyperfine's), the base first")
        ->type_name("BASE NEW...");
    compare_
        ->add_option("--threshold", compare_request_.threshold, "a smaller change is called the same [1%]")
        ->type_name("SHARE");
    compare_->add_option("--metric", compare_request_.metrics, "times to compare, or all [each case's first]")
        ->type_name("NAME,...");
    values_[compare_
                ->add_option("--fail-on", compare_request_.fail_on,
                             "exit with 3 when one of these got worse: slower, memory, kernels, bytes")
                ->type_name("WHAT,...")] = {"slower", "memory", "kernels", "bytes"};
    add_filters(*compare_, compare_request_);
    compare_->add_flag("--strict", compare_request_.strict, "exit with 4 when something is undecided");
    compare_->add_flag("--despite-differences", compare_request_.despite_differences,
                       "compare what ran under different conditions, and list them");
    std::vector<std::string> names;
    for (const reports::CompareFormat& format : reports::compare_formats()) names.push_back(format.name);
    values_[compare_
                ->add_option("--format", compare_request_.format,
                             fmt::format("{} [markdown]", join(names, ", ")))
                ->type_name("NAME")] = names;
    compare_->add_option("--output", compare_request_.output, "write to this file [standard output]")
        ->type_name("FILE");
  }

  void add_report() {
    report_ = add_command(app_, "report", "print a finished run again, in any format");
    report_->add_option("runs", report_request_.runs, "run directories or JSON files [the latest]")
        ->type_name("RUN...");
    std::vector<std::string> names;
    for (const reports::Format& format : reports::formats()) names.push_back(format.name);
    names.emplace_back("svg");
    values_[report_
                ->add_option("--format", report_request_.format,
                             fmt::format("{} [markdown]", join(names, ", ")))
                ->type_name("NAME")] = names;
    report_->add_option("--output", report_request_.output, "write to this file [standard output]")
        ->type_name("FILE");
    add_filters(*report_, report_request_);
    const std::string group = "Pivot (markdown, csv, latex, svg: the chart)";
    const auto add = [&](const std::string& name, std::string& text, const std::string& help) {
      return report_->add_option(name, text, help)->type_name("NAME,...")->group(group);
    };
    std::set<std::string> parameters{"run"};
    for (const registry::WorkloadSpec* spec : registry::workloads())
      for (const std::string& name : parameter_names(*spec)) parameters.insert(name);
    const std::vector<std::string> axes(parameters.begin(), parameters.end());
    values_[add("--rows", report_request_.rows,
                "parameters down the side; \"run\" tells several runs apart")] = axes;
    values_[add("--columns", report_request_.columns, "parameters across the top")] = axes;
    add("--value", report_request_.value, "metrics in the cells [the first time]");
  }

  void add_completion() {
    completion_ =
        add_command(app_, "completion", "print the script that makes your shell complete bench's options");
    values_[completion_->add_option("shell", completion_shell_, "bash, zsh")->type_name("SHELL")] = {"bash",
                                                                                                     "zsh"};
  }

  // Of the command that the words name, and of those above it.
  std::vector<KnownOption> known_options(const std::vector<std::string>& words) const {
    std::vector<KnownOption> known;
    const auto add = [&](const CLI::App& command) {
      for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
          known.push_back({.name = "--" + name,
                           .takes_value = option->get_items_expected_max() > 0,
                           .type = option->get_type_name(),
                           .meaning = option->get_description(),
                           .example = example_of(*option)});
    };
    const CLI::App* command = &app_;
    add(app_);
    for (const std::string& word : words) {
      const auto below =
          command->get_subcommands([&](const CLI::App* candidate) { return candidate->get_name() == word; });
      if (below.empty()) continue;
      command = below.front();
      add(*command);
    }
    return known;
  }

  // A value that the option may have.
  std::string example_of(const CLI::Option& option) const {
    static const std::map<std::string, std::string> by_type{{"N", "4"},
                                                            {"N|auto", "auto"},
                                                            {"X", "0.5"},
                                                            {"BYTES", "24GiB"},
                                                            {"TIME", "60s"},
                                                            {"TEXT", "before"},
                                                            {"SHARE", "2%"},
                                                            {"DIR", "bench-runs/first"},
                                                            {"FILE", "results.json"},
                                                            {"REGEX", "small"},
                                                            {"NAMES", "size,batch"}};
    if (const auto own = examples_.find(&option); own != examples_.end()) return own->second;
    if (const auto values = values_.find(&option); values != values_.end() && !values->second.empty())
      return values->second.front();
    const auto of_type = by_type.find(option.get_type_name());
    return of_type == by_type.end() ? "" : of_type->second;
  }

  // Every command below and with `app`, for the shell.
  void describe_commands(const CLI::App& app, const std::vector<std::string>& words,
                         std::vector<CompletedCommand>& commands) const {
    CompletedCommand command{.words = words};
    const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
    for (const CLI::App* subcommand : subcommands) command.commands.push_back(subcommand->get_name());
    for (const CLI::Option* option : app.get_options()) {
      const auto known = values_.find(option);
      const std::string type = option->get_type_name();
      const std::vector<std::string> values =
          known == values_.end() ? std::vector<std::string>{} : known->second;
      if (option->get_positional()) {
        command.values = values;
        command.takes_files = type == "RUN..." || type == "BASE NEW...";
      }
      for (const std::string& name : option->get_lnames())
        command.options.push_back({.name = "--" + name,
                                   .takes_value = option->get_items_expected_max() > 0,
                                   .takes_file = type == "FILE" || type == "DIR",
                                   .values = values});
    }
    commands.push_back(std::move(command));
    for (const CLI::App* subcommand : subcommands) {
      std::vector<std::string> further = words;
      further.push_back(subcommand->get_name());
      describe_commands(*subcommand, further, commands);
    }
  }

  void add_env() {
    env_ = add_command(app_, "env", "what this machine is, what is fit and unfit for measuring");
    env_->add_flag("--json", env_request_.json, "as JSON");
    env_->add_flag("--check", env_request_.check, "exit with 5 when something is unfit");
  }

  void add_run() {
    run_ = add_command(app_, "run", "measure a workload; prints a table, writes a run directory");
    run_->require_subcommand(0, 1);
    add_resuming_options(*run_);
    run_->add_flag("--quiet", run_request_.quiet, "no progress");
    run_->add_flag("--json", run_request_.json, "print the results as JSON instead of a table");
    for (const registry::WorkloadSpec* spec : registry::workloads()) add_workload(*spec);
  }

  void add_resuming_options(CLI::App& command) {
    command.add_option("--resume", run_request_.resume, "continue the run in this directory")
        ->type_name("DIR");
    command.add_flag("--force", run_request_.force,
                     "resume although the build or the machine differs, and mark the results");
  }

  void add_workload(const registry::WorkloadSpec& spec) {
    CLI::App* command = add_command(*run_, spec.name, spec.summary);
    std::vector<Parameter> measurement = registry::measurement_parameters(spec);
    for (const Parameter& parameter : spec.parameters)
      add_text_option(*command, parameter,
                      "Parameters (lists and ranges make axes: 256,512  128:4096:x2  1:9:+2)");
    for (const Parameter& parameter : measurement)
      add_text_option(*command, parameter, "Measuring (lists too)");
    for (const Parameter& parameter : common_parameters()) add_text_option(*command, parameter, "Measuring");

    add_choosing_options(*command, spec);
    const std::string group = "Running";
    values_[command->add_option("--device", run_request_.device, "auto, cpu, cuda, cuda:N [auto]")
                ->type_name("NAME")
                ->group(group)] = {"auto", "cpu", "cuda"};
    command
        ->add_option("--out", run_request_.out,
                     "run directory, new or empty [bench-runs/<UTC time>-<workload>]")
        ->type_name("DIR")
        ->group(group);
    command->add_option("--label", run_request_.label, "free text kept with the results")
        ->type_name("TEXT")
        ->group(group);
    command
        ->add_option("--memory-limit", run_request_.memory_limit,
                     "the most that tensors may take [what the machine has]")
        ->type_name("BYTES")
        ->group(group);
    command
        ->add_option("--inject-fault", run_request_.inject_fault,
                     "break the implementation on purpose, to see the check catch it")
        ->type_name("NAME")
        ->group(group);
    command
        ->add_flag("--host-defaults", run_request_.host_defaults,
                   "set no worker conditions: leave the machine as found")
        ->group(group);
    command
        ->add_flag("--profile", run_request_.profile,
                   "for ncu and nsys: one warm-up step, then --steps steps; no check, no table, no files")
        ->group(group);
    add_resuming_options(*command);
    command->add_flag("--quiet", run_request_.quiet, "no progress")->group(group);
    command->add_flag("--json", run_request_.json, "print the results as JSON instead of a table")
        ->group(group);
    command->footer("\n" + preset_footer(spec));
    workloads_.emplace_back(spec.name, command);
  }

  // Which cases there are.
  void add_choosing_options(CLI::App& command, const registry::WorkloadSpec& spec) {
    const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
      return command.add_option(name, value, help)->type_name(type)->group("Choosing cases");
    };
    const CLI::Option* preset_option =
        add("--preset", run_request_.preset, "a ready sweep; options override it", "NAME");
    for (const registry::Preset& preset : spec.presets)
      if (preset.lacking.empty()) values_[preset_option].push_back(preset.name);
    values_[add("--zip", run_request_.zips,
                "take the values of these lists together, not their product: --zip size,batch", "NAMES")
                ->allow_extra_args(false)] = parameter_names(spec);
    add_filters(command, run_request_, "Choosing cases");
    add("--cases", run_request_.cases, "run the cases of this file, as --dry-run --json prints them", "FILE");
    command
        .add_flag("--dry-run", run_request_.dry_run,
                  "print the cases, their memory and duration as predicted, and run nothing")
        ->group("Choosing cases");
  }

  void add_text_option(CLI::App& command, const Parameter& parameter, const std::string& group) {
    texts_.emplace_back();
    std::string& text = texts_.back();
    CLI::Option* option = command.add_option("--" + parameter.name, text, describe(parameter))
                              ->type_name(type_name(parameter))
                              ->group(group)
                              ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    values_[option] = parameter.choices;
    if (!parameter.default_value.empty()) examples_[option] = parameter.default_value;
    bound_.push_back({&command, option, parameter.name, &text});
  }

  Request pick() {
    const std::vector<std::string> before = app_.remaining();
    if (!app_.get_subcommands().empty()) refuse_before("the command's name", left_by(app_));
    if (list_->parsed()) return refuse_extras(left_by(*list_)), list_request_;
    if (compare_->parsed()) return refuse_extras(left_by(*compare_)), compare_request_;
    if (report_->parsed()) return refuse_extras(left_by(*report_)), report_request_;
    if (env_->parsed()) return refuse_extras(left_by(*env_)), env_request_;
    if (completion_->parsed()) {
      refuse_extras(left_by(*completion_));
      std::vector<CompletedCommand> commands;
      describe_commands(app_, {}, commands);
      return Printed{completion_script(completion_shell_, commands)};
    }
    if (run_->parsed()) return pick_workload();
    std::vector<std::string> commands;
    for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; }))
      commands.push_back(command->get_name());
    if (before.empty()) return Printed{app_.help()};
    throw Error(ErrorKind::usage, fmt::format("there is no command \"{}\"{}", printable(before.front()),
                                              did_you_mean(before.front(), commands)));
  }

  Request pick_workload() {
    const std::vector<std::string> before = run_->remaining();
    if (!before.empty() && !is_option(before.front())) registry::require_workload(before.front());
    if (!run_request_.resume.empty() && (run_request_.dry_run || std::ranges::count(before, "--dry-run") > 0))
      throw Error(
          ErrorKind::usage,
          fmt::format(
              "--dry-run is for a run that begins; `bench report {0}` shows what {0} has done already",
              printable(run_request_.resume)));
    for (const auto& [name, command] : workloads_) {
      if (!command->parsed()) continue;
      refuse_before("the workload's name", left_by(*run_));
      if (run_->count("--resume") > 0 && command->count("--resume") > 0) refuse_again("--resume");
      refuse_extras(left_by(*command));
      run_request_.workload = name;
      for (const Bound& bound : bound_)
        if (bound.command == command && bound.option->count() > 0)
          run_request_.options.emplace_back(bound.name, *bound.text);
      return run_request_;
    }
    if (!run_request_.resume.empty()) {
      for (const auto& [name, command] : workloads_)
        refuse_options_of_workload(option_names(*command), left_by(*run_), run_request_.resume);
      return refuse_extras(left_by(*run_)), run_request_;
    }
    std::vector<std::string> names;
    for (const auto& [name, command] : workloads_) names.push_back(name);
    throw Error(ErrorKind::usage, fmt::format("bench run needs a workload first: {}", join(names, ", ")));
  }

  // "bench run model"
  static std::string as_typed(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : as_typed(*parent) + " " + command.get_name();
  }

  static std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  static Leftovers left_by(const CLI::App& command) {
    std::vector<std::string> words = command.remaining();
    std::erase(words, "--");  // it ends the options, and is none
    return {.command = as_typed(command), .options = option_names(command), .words = std::move(words)};
  }

  [[noreturn]] static void refuse_again(const std::string& option) {
    throw Error(ErrorKind::usage, fmt::format("{} is given more than once, and takes one value", option));
  }

  // The parser's own words for an option of one value that is given again name no remedy.
  static void refuse_twice(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
      if (option->get_items_expected_max() == 1 && option->count() > 1 &&
          option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw)
        refuse_again(option->get_name());
    for (const CLI::App* command : app.get_subcommands()) refuse_twice(*command);
  }

  struct Bound {
    const CLI::App* command;
    const CLI::Option* option;
    std::string name;
    const std::string* text;
  };

  CLI::App app_;
  CLI::App* list_ = nullptr;
  CLI::App* run_ = nullptr;
  CLI::App* compare_ = nullptr;
  CLI::App* report_ = nullptr;
  CLI::App* env_ = nullptr;
  CLI::App* completion_ = nullptr;
  std::string completion_shell_ = "bash";
  RunRequest run_request_;
  ListRequest list_request_;
  CompareRequest compare_request_;
  ReportRequest report_request_;
  EnvRequest env_request_;
  std::vector<std::pair<std::string, CLI::App*>> workloads_;
  std::deque<std::string> texts_;  // a deque: CLI11 keeps references to its members
  std::vector<Bound> bound_;
  std::map<const CLI::Option*, std::vector<std::string>> values_;  // that a shell can offer
  std::map<const CLI::Option*, std::string> examples_;             // where none of values_ is the best
};

}  // namespace

Request parse_command_line(const std::vector<std::string>& arguments) {
  return CommandLine().parse(arguments);
}

}  // namespace bench::cli
