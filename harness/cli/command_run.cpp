#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "harness/cli/commands.hpp"
#include "harness/cli/device.hpp"
#include "harness/cli/dry_run.hpp"
#include "harness/cli/git_commit.hpp"
#include "harness/cli/peers.hpp"
#include "harness/cli/plan.hpp"
#include "harness/cli/plan_file.hpp"
#include "harness/cli/resume.hpp"
#include "harness/cli/run_record.hpp"
#include "harness/cli/stderr_terminal.hpp"
#include "harness/core/build_id.hpp"
#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/core/units.hpp"
#include "harness/protocol/json.hpp"
#include "harness/registry/registry.hpp"
#include "harness/scheduler/files.hpp"
#include "harness/scheduler/gpu_surroundings.hpp"
#include "harness/scheduler/interrupts.hpp"
#include "harness/scheduler/journal.hpp"
#include "harness/scheduler/process_worker.hpp"
#include "harness/scheduler/run_directory.hpp"
#include "harness/scheduler/run_sweep.hpp"
#include "harness/scheduler/worker_conditions.hpp"
#include "reports/formats.hpp"
#include "reports/table.hpp"

namespace bench::cli {
namespace {

constexpr const char* kTorch = "torch";  // the peers' program, as workloads name it

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> own;
  for (const char* const name : {"OMP_NUM_THREADS", "OMP_WAIT_POLICY"})
    if (const char* const value = std::getenv(name)) own[name] = value;
  return own;
}

// One run from its plan to its written results. What it measured is printed whatever happens to the files.
class Run {
 public:
  // `resumed`: the run to go on with; `journal`: its journal, opened before it was read.
  Run(const RunRequest& request, const std::vector<std::string>& argv,
      std::optional<Resumed> resumed = std::nullopt, std::unique_ptr<scheduler::Journal> journal = nullptr)
      : request_(request), progress_(choose_progress(request.quiet, terminal_, clock_)) {
    registry::require_workload(request.workload);
    sweep_.machine = machine::read_machine();
    device_ = choose_device(request.device, sweep_.machine, own_folder());
    sweep_.device = device_.device;
    const std::int64_t limit = request.memory_limit.empty() ? 0 : memory_limit();
    conditions_ = scheduler::worker_conditions(sweep_.machine, {.on_gpu = device_.device != "cpu",
                                                                .host_defaults = request.host_defaults,
                                                                .memory_limit_bytes = limit,
                                                                .own = own_environment()});
    Document now;
    now.environment = machine::read_environment();
    gpu_ = used_gpu(now.environment);
    sweep_.room = memory_room();
    plan_ = resumed ? std::move(resumed->plan) : make_plan(request, sweep_.room);
    sweep_.spec = plan_.spec;
    sweep_.cases = plan_.cases;
    sweep_.repetitions = plan_.repetitions;
    sweep_.case_options.inject_fault = request.inject_fault;
    if (request.profile) plan_profile();
    refuse_impossible_fault();
    now.run = {.argv = argv,
               .workload = request.workload,
               .label = request.label,
               .seed = sweep_.cases.front().policy.seed,
               .git_commit = git_commit(),
               .build_ids = {{"bench", build_id()}},
               .device = device_.device,
               .begin_utc = scheduler::utc_now(),
               .planned_cases = static_cast<std::int64_t>(sweep_.size())};
    watch_gpu(now.environment);
    now.conditions = conditions_.recorded;
    if (!request.inject_fault.empty()) now.conditions["injected_fault"] = request.inject_fault;
    if (resumed) {
      Document before = std::move(resumed->document).value_or(Document{});
      mark_finished(sweep_, results_by_place(plan_, before, request_.resume), before, request_.resume);
      if (resumed->document) take_up(std::move(before), now);
    }
    if (!resumed || !resumed->document) record_ = RunRecord(std::move(now));
    if (journal != nullptr) record_.keep_in(std::move(journal));
  }

  int execute() {
    if (request_.dry_run) return dry_run();
    return request_.profile ? profile() : run();
  }

 private:
  // Leaves nothing behind but the logs of a run that failed.
  int profile() {
    directory_ = scheduler::make_temporary_directory();
    announce();
    start_workers([&](scheduler::WorkerPrograms& programs) {
      scheduler::run_sweep(sweep_, programs, clock_, *progress_,
                           [&](CaseResult&& result) { record_.add(std::move(result)); });
    });
    progress_.reset();
    if (const auto signal = interrupts_.signal()) return 128 + *signal;
    if (stopped_by_) throw *stopped_by_;
    for (const CaseResult& result : record_.document().cases) {
      if (result.status != Status::ok)
        tell(fmt::format("{}: {}: {}", result.configuration.id(), to_text(result.status), result.reason));
    }
    const int code = exit_code();
    if (code == 0) std::filesystem::remove_all(directory_);
    tell(code == 0 ? "profiled steps ran; nothing was checked and nothing written"
                   : fmt::format("logs: {}", path("logs")));
    return code;
  }

  int dry_run() {
    progress_.reset();
    if (const std::string cut = limit_that_is_cut(); !cut.empty()) tell(cut);
    find_torch();
    const DryRun dry{
        .plan = plan_,
        .sweep = sweep_,
        .worker = worker_by_hand(conditions_.environment, device_.worker_program, device_.device)};
    print(request_.json ? dry_run_json(dry) : dry_run_text(dry));
    return 0;
  }

  int run() {
    if (request_.resume.empty()) {
      directory_ = scheduler::make_run_directory(request_.out, request_.workload);
      record_.keep_in(std::make_unique<scheduler::Journal>(path("cases.jsonl")));  // first: it has one owner
      scheduler::write_whole_file(path("plan.json"), plan_file_content(plan_, record_.document().run.argv));
    } else {
      directory_ = request_.resume;
    }
    announce();
    if (sweep_.finished.size() < sweep_.size())
      start_workers([&](scheduler::WorkerPrograms& programs) { measure(programs); });
    if (stopped_by_ && !request_.resume.empty() && !record_.begun())
      throw *stopped_by_;  // all stays as it was
    RunInfo& run = record_.document().run;
    run.end_utc = scheduler::utc_now();
    run.complete = !interrupts_.signal() && !stopped_by_;
    if (run.complete)  // a `max` that came to another row has no result
      run.planned_cases = static_cast<std::int64_t>(record_.document().cases.size());
    return hand_over();
  }

  // Goes on with what the earlier parts of the run say of it.
  void take_up(Document&& before, const Document& now) {
    const bool nothing_left = sweep_.finished.size() == sweep_.size();
    record_ = nothing_left ? RunRecord(std::move(before))
                           : RunRecord(std::move(before), now, {request_.resume, request_.force});
  }

  void announce() {
    if (!device_.why.empty()) progress_->note(fmt::format("device {}: {}", device_.device, device_.why));
    if (!gpu_problem_.empty()) progress_->note(gpu_problem_);
    if (const std::string cut = limit_that_is_cut(); !cut.empty()) progress_->note(cut);
  }

  // What --memory-limit comes to where that is less than was asked for; empty: it stands.
  std::string limit_that_is_cut() const {
    if (request_.memory_limit.empty() || sweep_.room.bytes <= 0 || memory_limit() <= sweep_.room.bytes)
      return "";
    return fmt::format("--memory-limit {}: {} has {} for a case, and that is the limit",
                       request_.memory_limit, device_.device, format_bytes(sweep_.room.bytes));
  }

  void start_workers(const std::function<void(scheduler::WorkerPrograms&)>& work) {
    scheduler::ProcessWorkerSource native({.program = device_.worker_program,
                                           .arguments = worker_arguments(),
                                           .environment = conditions_.environment,
                                           .log_path = path("logs")},
                                          clock_, interrupts_);
    find_torch();
    scheduler::ProcessWorkerSource torch(torch_start(), clock_, interrupts_);
    scheduler::WorkerPrograms programs({{"", &native}, {kTorch, &torch}});
    sweep_.check_path = path("check.safetensors");
    try {
      work(programs);
    } catch (const Error& error) {
      stopped_by_ = error;
    }
    programs.discard();
    if (interrupts_.signal()) stopped_by_.reset();
  }

  std::string path(const std::string& name) const {
    return (std::filesystem::path(directory_) / name).string();
  }

  void plan_profile() {
    const auto refuse = [](bool given, const char* option, const char* why) {
      if (given) throw Error(ErrorKind::usage, fmt::format("--profile with {}: {}", option, why));
    };
    refuse(!request_.out.empty(), "--out", "it writes no results");
    refuse(request_.json, "--json", "it has no results to print");
    refuse(!sweep_.cases.front().policy.steps, "--steps auto", "name a number of steps");
    sweep_.case_options.profile = true;
    if (setting(request_, {}, "warmup")) return;
    for (registry::PlannedCase& planned : sweep_.cases) planned.policy.warmup_steps = 1;
  }

  void refuse_impossible_fault() const {
    if (request_.inject_fault.empty()) return;
    for (const registry::PlannedCase& planned : sweep_.cases) {
      const auto refusal = sweep_.spec->refuse_fault
                               ? sweep_.spec->refuse_fault(planned.configuration, request_.inject_fault)
                               : fmt::format("workload {} has no faults", sweep_.spec->name);
      if (refusal) throw Error(ErrorKind::usage, fmt::format("--inject-fault: {}", *refusal));
    }
  }

  // The GPU that cuda:N is; nullopt: not on a GPU, or which one cannot be told.
  std::optional<Gpu> used_gpu(const Environment& environment) const {
    const Gpu* used = bench::used_gpu(environment, device_.device);
    return used == nullptr ? std::nullopt : std::optional(*used);
  }

  // What tensors of one case may take: a person's limit, within what the device has.
  registry::MemoryRoom memory_room() const {
    registry::MemoryRoom room{.device = device_.device, .bytes = 0};
    if (device_.device == "cpu") {
      room.bytes =
          conditions_.case_limit_bytes > 0 ? conditions_.case_limit_bytes : conditions_.memory_budget_bytes;
      return room;
    }
    if (gpu_) room.bytes = gpu_->memory_free_bytes;
    if (!request_.memory_limit.empty())
      room.bytes = room.bytes > 0 ? std::min(room.bytes, memory_limit()) : memory_limit();
    return room;
  }

  void watch_gpu(const Environment& environment) {
    if (device_.device == "cpu") return;
    if (!gpu_) {
      gpu_problem_ =
          fmt::format("no clocks, slowdowns, energy or MFU of {}: {}", device_.device,
                      environment.gpus.empty()
                          ? "NVIDIA's management library (libnvidia-ml.so.1) is not here or shows no GPU"
                          : "which of this machine's GPUs it is cannot be told; CUDA_DEVICE_ORDER=PCI_BUS_ID "
                            "makes it plain");
      return;
    }
    sweep_.gpu_name = gpu_->name;
    surroundings_.emplace(machine::this_nvml(), gpu_->index);
    sweep_.case_options.surroundings = &*surroundings_;
  }

  std::int64_t memory_limit() const {
    std::int64_t bytes = 0;
    try {
      bytes = parse_bytes(request_.memory_limit);
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, fmt::format("--memory-limit: {}", error.what()));
    }
    if (bytes < 1) throw Error(ErrorKind::usage, "--memory-limit: nothing runs in 0 bytes");
    return bytes;
  }

  std::vector<std::string> worker_arguments() const {
    std::vector<std::string> arguments{"--command-fd", fmt::format("{}", scheduler::ChildProcess::kCommandFd),
                                       "--event-fd",   fmt::format("{}", scheduler::ChildProcess::kEventFd),
                                       "--parent-pid", fmt::format("{}", getpid()),
                                       "--device",     device_.device};
    const auto add_bytes = [&](const char* option, std::int64_t bytes) {
      arguments.insert(arguments.end(), {option, fmt::format("{}", bytes)});
    };
    if (device_.device == "cpu") {
      add_bytes("--memory-budget", conditions_.memory_budget_bytes);
      add_bytes("--memory-limit", conditions_.case_limit_bytes);
    } else if (!request_.memory_limit.empty()) {
      add_bytes("--memory-budget", memory_limit());  // the host's memory limits nothing on a GPU
    }
    if (request_.host_defaults) arguments.push_back("--host-defaults");
    return arguments;
  }

  // Looked for only where a case needs it: a probe takes a Python's start.
  void find_torch() {
    if (!scheduler::programs_of(sweep_).contains(kTorch)) return;
    const std::string folder = own_folder();
    torch_ = find_torch_peer(folder, candidate_pythons(folder));
    if (!torch_.lacking.empty()) sweep_.unavailable[kTorch] = torch_.lacking;
  }

  scheduler::ChildProcess::Start torch_start() const {
    std::vector<std::string> arguments{torch_.script, "--device", device_.device, "--build-id", build_id()};
    for (const std::string& argument : worker_arguments()) arguments.push_back(argument);
    return {.program = torch_.python,
            .arguments = std::move(arguments),
            .environment = conditions_.environment,
            .log_path = path("logs"),
            .name = "torch_worker"};
  }

  // What the workers say of themselves; a peer that does not start is missing here, as one without a Python.
  WorkerFacts greet(scheduler::WorkerPrograms& programs) {
    WorkerFacts facts;
    if (scheduler::programs_of(sweep_).contains(kTorch)) {
      try {
        const protocol::Hello& hello = programs.worker(kTorch).hello();
        facts.build_ids[hello.program] = hello.build_id;
        for (const auto& [name, version] : hello.libraries)
          facts.libraries[hello.program + " " + name] = version;
        for (const auto& [name, value] : hello.conditions)
          facts.conditions[hello.program + " " + name] = value;
      } catch (const Error& error) {
        if (interrupts_.signal()) throw;
        sweep_.unavailable[kTorch] = error.what();
      }
    }
    if (scheduler::programs_of(sweep_).empty()) return facts;
    const protocol::Hello& hello = programs.worker("").hello();
    facts.build_ids[hello.program] = hello.build_id;
    facts.libraries.insert(hello.libraries.begin(), hello.libraries.end());
    facts.conditions.insert(hello.conditions.begin(), hello.conditions.end());
    return facts;
  }

  void measure(scheduler::WorkerPrograms& programs) {
    record_.begin(greet(programs));
    if (!record_.differing().empty())
      progress_->note(fmt::format("resumed although {}", join(record_.differing(), "; ")));
    // Of an earlier part: they are not all any more, and where this part is killed the journal is.
    std::error_code ignored;
    for (const char* const stale : {"run.json", "report.md"}) std::filesystem::remove(path(stale), ignored);
    scheduler::run_sweep(sweep_, programs, clock_, *progress_, [&](CaseResult&& result) {
      record_.add(std::move(result));
      ++measured_;
    });
  }

  // Writes run.json and report.md, prints, and says how it all ended.
  int hand_over() {
    progress_.reset();  // clears the live line
    const Document& document = record_.document();
    const std::string json = reports::format_named("json").render(document);
    try {
      scheduler::write_whole_file(path("run.json"), json);
      scheduler::write_whole_file(path("report.md"), reports::format_named("markdown").render(document));
    } catch (const Error& error) {
      if (!stopped_by_) stopped_by_ = error;
    }
    if (!document.cases.empty())
      print(request_.json ? json : reports::terminal_table(reports::results_table(document)));
    if (!request_.quiet) tell(fmt::format("results: {}", directory_));
    if (const auto signal = interrupts_.signal()) {
      const std::size_t finished = sweep_.finished.size() + measured_;
      tell(fmt::format("bench: interrupted {}, and `bench run --resume {}` goes on",
                       finished == 0
                           ? "before the first case was finished"
                           : fmt::format("after {} of {} cases; those are kept", finished, sweep_.size()),
                       directory_));
      return 128 + *signal;
    }
    if (stopped_by_ && stopped_by_->kind() == ErrorKind::io)
      throw Error(ErrorKind::io, fmt::format("{}; once it can be written, `bench run --resume {}` goes on",
                                             stopped_by_->what(), directory_));
    if (stopped_by_) throw *stopped_by_;
    return exit_code();
  }

  int exit_code() const {
    const auto& cases = record_.document().cases;
    if (std::any_of(cases.begin(), cases.end(), [](const auto& result) { return is_failure(result.status); }))
      return 1;
    if (std::all_of(cases.begin(), cases.end(),
                    [](const auto& result) { return result.status == Status::skipped; }))
      throw Error(ErrorKind::environment, fmt::format("every case was skipped: {}", cases.front().reason));
    return 0;
  }

  const RunRequest request_;
  StderrTerminal terminal_;
  scheduler::SystemClock clock_;
  scheduler::Interrupts interrupts_;
  std::unique_ptr<scheduler::Progress> progress_;
  Plan plan_;
  scheduler::Sweep sweep_;
  std::optional<Gpu> gpu_;  // that the run uses
  std::optional<scheduler::GpuSurroundings> surroundings_;
  std::string gpu_problem_;  // why nothing watches the GPU
  DeviceChoice device_;
  TorchPeer torch_;
  scheduler::WorkerConditions conditions_;
  RunRecord record_;
  std::size_t measured_ = 0;  // cases, by this part of the run
  std::string directory_;
  std::optional<Error> stopped_by_;
};

}  // namespace

int command_run(const RunRequest& request, const std::vector<std::string>& argv) {
  if (request.resume.empty()) return Run(request, argv).execute();
  // Locked and mended before it is read.
  const std::string path = (std::filesystem::path(request.resume) / "cases.jsonl").string();
  require_run_directory(request.resume);
  auto journal = std::make_unique<scheduler::Journal>(path, scheduler::Journal::Start::resumed);
  Resumed resumed = read_resumed(request);
  const RunRequest begun = resumed.request;
  const std::vector<std::string> begun_argv = resumed.argv;
  return Run(begun, begun_argv, std::move(resumed), std::move(journal)).execute();
}

}  // namespace bench::cli
