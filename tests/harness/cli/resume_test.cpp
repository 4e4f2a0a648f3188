#include "harness/cli/resume.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "harness/cli/plan_file.hpp"
#include "harness/cli/run_record.hpp"
#include "harness/protocol/json.hpp"
#include "harness/registry/registry.hpp"
#include "harness/scheduler/files.hpp"
#include "harness/scheduler/journal.hpp"
#include "harness/scheduler/run_sweep.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/scripted_worker.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bench::cli {
namespace {

using scheduler::Journal;
using scheduler::SweepEnd;

const registry::Registration registration{[] {
  registry::WorkloadSpec spec;
  spec.name = "resumable";
  spec.parameters = {{.name = "n",
                      .kind = ParameterKind::integer,
                      .default_value = "1",
                      .minimum = 1,
                      .maximum = 1000,
                      .has_max = true}};
  spec.memory = [](const Case& c, const std::string&) {
    return registry::MemoryPrediction{{{"activations", c.integer("n")}}};
  };
  return spec;
}()};

// The process dies here: nothing behind it runs.
struct Killed {};

// A scripted worker on which a kill or an interrupt strikes after so many commands; negative: never.
class MortalWorker final : public scheduler::Worker {
 public:
  MortalWorker(support::FakeClock& clock, int commands, bool killed)
      : script_(clock), left_(commands), killed_(killed) {}
  const protocol::Hello& hello() const override { return script_.hello(); }
  scheduler::Reply ask(const protocol::Command& command, std::int64_t deadline_ns,
                       const scheduler::EventListener& listener) override {
    if (left_ == 0) {
      if (killed_) throw Killed{};
      return support::ScriptedWorker::ended(scheduler::Reply::Kind::interrupted, "");
    }
    if (left_ > 0) --left_;
    return script_.ask(command, deadline_ns, listener);
  }

 private:
  support::ScriptedWorker script_;
  int left_;
  bool killed_;
};

struct OneWorker final : scheduler::WorkerSource {
  explicit OneWorker(scheduler::Worker& worker) : only(worker) {}
  scheduler::Worker& worker(int) override { return only; }
  void discard() override {}
  scheduler::Worker& only;
};

// A run directory, and what `bench run` does with it, but for processes.
class RunDirectory {
 public:
  explicit RunDirectory(const std::vector<std::string>& words, std::int64_t memory_bytes = 0)
      : argv_(words), room_bytes_(memory_bytes) {
    const auto request = std::get<RunRequest>(parse_command_line({argv_.begin() + 1, argv_.end()}));
    const Journal journal(folder_.path("cases.jsonl"));
    scheduler::write_whole_file(
        folder_.path("plan.json"),
        plan_file_content(make_plan(request, {.device = "cpu", .bytes = room_bytes_}), argv_));
  }

  // True: to the end. Starts where it stands, here and now as `now` and `workers` say.
  bool run(int commands = -1, bool killed = false, const Document& now = {},
           const WorkerFacts& workers = {}) {
    auto journal = std::make_unique<Journal>(folder_.path("cases.jsonl"), Journal::Start::resumed);
    Resumed resumed = read_resumed(typed());
    scheduler::Sweep sweep;
    sweep.spec = resumed.plan.spec;
    sweep.cases = resumed.plan.cases;
    sweep.repetitions = resumed.plan.repetitions;
    sweep.device = "cpu";
    sweep.room = {.device = "cpu", .bytes = room_bytes_};
    Document before = resumed.document.value_or(Document{});
    mark_finished(sweep, results_by_place(resumed.plan, before, "DIR"), before, "DIR");
    RunRecord record = resumed.document ? RunRecord(std::move(before), now, {"DIR", force}) : RunRecord(now);
    record.keep_in(std::move(journal));

    support::FakeClock clock;
    MortalWorker worker(clock, commands, killed);
    OneWorker source(worker);
    scheduler::WorkerPrograms programs({{"", &source}});
    const auto progress = scheduler::make_quiet_progress();
    record.begin(workers);
    try {
      return scheduler::run_sweep(sweep, programs, clock, *progress, [&](CaseResult&& result) {
               last_line_ = protocol::journal_case_line(result);
               record.add(std::move(result));
             }) == SweepEnd::finished;
    } catch (const Killed&) {
      return false;
    }
  }

  // What a power failure leaves of a line that was being written: its beginning, or all but what reads as
  // zeros.
  void tear(std::size_t bytes, bool zeros) const {
    std::string line = (last_line_.empty() ? std::string(300, '{') : last_line_) + "\n";
    const std::size_t kept = std::min(bytes, line.size() - 2);
    if (zeros)
      std::fill(line.begin() + static_cast<std::ptrdiff_t>(kept), line.end() - 1, '\0');
    else
      line.resize(kept);
    append(line);
  }
  void append(const std::string& text) const {
    std::ofstream(folder_.path("cases.jsonl"), std::ios::app) << text;
  }

  RunRequest typed() const {
    RunRequest request;
    request.resume = folder_.path();
    return request;
  }
  Document document() const { return *read_resumed(typed()).document; }

  bool force = false;

 private:
  support::TemporaryFolder folder_;
  std::vector<std::string> argv_;
  std::int64_t room_bytes_;
  std::string last_line_;
};

std::vector<std::string> keys(const Document& document) {
  std::vector<std::string> all;
  for (const CaseResult& result : document.cases)
    all.push_back(scheduler::case_key(result.configuration, result.repetition));
  return all;
}

TEST(Resume, InterruptedAnywhereAnyNumberOfTimesItLosesNothingAndRepeatsNothing) {
  const std::vector<std::string> words{"bench", "run", "resumable", "--n", "1:12:+1", "--repeat", "2"};
  RunDirectory whole(words);
  ASSERT_TRUE(whole.run());
  const Document expected = whole.document();
  ASSERT_EQ(expected.cases.size(), 24u);

  const unsigned seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int interruptions = 0;
  while (interruptions < 300) {
    RunDirectory run(words);
    // A case is seven commands; most runs are struck several times.
    while (!run.run(static_cast<int>(random() % 60), random() % 2 == 0)) {
      ++interruptions;
      if (random() % 2 == 0) run.tear(random() % 2000, random() % 2 == 0);
    }
    const Document document = run.document();
    ASSERT_EQ(keys(document), keys(expected));
    for (std::size_t i = 0; i < document.cases.size(); ++i) {
      ASSERT_EQ(document.cases[i].status, Status::ok);
      ASSERT_EQ(document.cases[i].samples.size(), expected.cases[i].samples.size());
      ASSERT_EQ(document.cases[i].summaries, expected.cases[i].summaries);
    }
  }
}

TEST(Resume, TypedOptionsMustBeThoseThatTheRunWasBegunWith) {
  const RunDirectory run({"bench", "run", "resumable", "--n", "1,2", "--steps", "5"});
  const auto refusal = [&](const std::vector<std::string>& words) {
    auto typed = std::get<RunRequest>(parse_command_line(words));
    typed.resume = run.typed().resume;
    return support::error_of(ErrorKind::usage, [&] { read_resumed(typed); });
  };
  EXPECT_NE(refusal({"run", "resumable", "--n", "1,3"})
                .find("the run was begun with --n 1,2, not with --n 1,3; leave it out, or start a new run"),
            std::string::npos);
  EXPECT_NE(refusal({"run", "resumable", "--seed", "7"})
                .find("the run was begun without --seed, not with --seed 7"),
            std::string::npos);
  EXPECT_NE(refusal({"run", "resumable", "--host-defaults"})
                .find("the run was begun without --host-defaults; leave it out, or start a new run"),
            std::string::npos);
  auto same = std::get<RunRequest>(parse_command_line({"run", "resumable", "--steps", "5", "--json"}));
  same.resume = run.typed().resume;
  const Resumed resumed = read_resumed(same);
  EXPECT_EQ(resumed.plan.cases.size(), 2u);
  EXPECT_EQ(resumed.plan.cases[0].policy.steps, 5);
  EXPECT_TRUE(resumed.request.json);
  EXPECT_FALSE(resumed.document);
}

TEST(Resume, FinishedCasesThatThePlanDoesNotHaveAreRefused) {
  RunDirectory run({"bench", "run", "resumable", "--n", "1,2"});
  run.run(9);
  const Document document = run.document();
  ASSERT_EQ(document.cases.size(), 1u);
  Plan plan = read_resumed(run.typed()).plan;
  EXPECT_EQ(results_by_place(plan, document, "DIR").size(), 1u);

  Plan other = plan;
  other.cases.erase(other.cases.begin());
  EXPECT_EQ(support::error_of(ErrorKind::usage, [&] { results_by_place(other, document, "DIR"); }),
            "--resume DIR: cases.jsonl has the case resumable/n:1 0, which plan.json does not");
  other = plan;
  other.cases[0].policy.steps = 3;
  EXPECT_EQ(support::error_of(ErrorKind::usage, [&] { results_by_place(other, document, "DIR"); }),
            "--resume DIR: cases.jsonl measured resumable/n:1 0 with other settings than plan.json has");
}

// What a run with this room goes on with, given what it has.
struct GoneOn {
  std::vector<std::string> left;  // ids
  std::vector<std::size_t> finished;
  std::vector<std::string> kept;  // ids of the results that stay
};

GoneOn go_on(const Plan& plan, const std::vector<CaseResult>& results, std::int64_t room_bytes) {
  scheduler::Sweep sweep;
  sweep.spec = plan.spec;
  sweep.cases = plan.cases;
  sweep.device = "cpu";
  sweep.room = {.device = "cpu", .bytes = room_bytes};
  Document before;
  before.cases = results;
  mark_finished(sweep, results_by_place(plan, before, "DIR"), before, "DIR");
  GoneOn gone_on;
  for (const CaseResult& result : before.cases) gone_on.kept.push_back(result.configuration.id());
  for (std::size_t place = 0; place < sweep.size(); ++place)
    if (sweep.finished.contains(place))
      gone_on.finished.push_back(place);
    else
      gone_on.left.push_back(sweep.cases[place].configuration.id());
  return gone_on;
}

CaseResult result_of(const Plan& plan, std::int64_t n) {
  return {.configuration = {.workload = "resumable", .values = {{"n", n}}}, .policy = plan.cases[0].policy};
}

using Ids = std::vector<std::string>;
using Places = std::vector<std::size_t>;

TEST(Resume, MaxIsWhatItCameToAndElseWhatMayFitNow) {
  const RunDirectory run({"bench", "run", "resumable", "--n", "8,max", "--memory-limit", "64"}, 64);
  const Plan plan = read_resumed(run.typed()).plan;
  EXPECT_EQ(go_on(plan, {}, 64).left, (Ids{"resumable/n:8", "resumable/n:64"}));
  EXPECT_EQ(go_on(plan, {}, 200).left, (Ids{"resumable/n:8", "resumable/n:128"}));
  EXPECT_EQ(go_on(plan, {result_of(plan, 8)}, 8).finished, (Places{0, 1})) << "not the same row twice";
  EXPECT_EQ(go_on(plan, {result_of(plan, 16)}, 64).left, (Ids{"resumable/n:8"})) << "16 is what it came to";
  EXPECT_EQ(go_on(plan, {result_of(plan, 8)}, 64).left, (Ids{"resumable/n:64"}))
      << "8 was asked for by itself";
  EXPECT_EQ(go_on(plan, {result_of(plan, 8), result_of(plan, 16)}, 64).finished, (Places{0, 1}));
  EXPECT_NE(support::error_of(ErrorKind::usage, [&] { go_on(plan, {result_of(plan, 24)}, 64); })
                .find("cases.jsonl has the case resumable/n:24 0, which plan.json does not"),
            std::string::npos);
}

TEST(Resume, AMaxThatIsFinishedNeedsNoMemoryToBeKnown) {
  const RunDirectory run({"bench", "run", "resumable", "--n", "8,max", "--memory-limit", "64"}, 64);
  const Plan plan = read_resumed(run.typed()).plan;
  EXPECT_EQ(go_on(plan, {result_of(plan, 64)}, 0).left, (Ids{"resumable/n:8"}));
  EXPECT_EQ(support::error_of(ErrorKind::usage, [&] { go_on(plan, {}, 0); }),
            "--resume DIR: --n: max: bench cannot tell how much memory is here; --memory-limit states it");
}

TEST(Resume, AMaxGoesOnBelowARowOfItsOwnThatRanOutOfMemory) {
  const RunDirectory run({"bench", "run", "resumable", "--n", "64,max", "--memory-limit", "64"}, 64);
  const Plan plan = read_resumed(run.typed()).plan;
  ASSERT_EQ(plan.cases.size(), 2u);
  CaseResult too_large = result_of(plan, 64);
  EXPECT_EQ(go_on(plan, {too_large}, 64).finished, (Places{0, 1}));
  too_large.status = Status::out_of_memory;
  too_large.reason = said("at 90 bytes");
  EXPECT_EQ(go_on(plan, {too_large}, 64).finished, (Places{0}));
  EXPECT_EQ(go_on(plan, {too_large, result_of(plan, 32)}, 64).finished, (Places{0, 1}));
}

TEST(Resume, OfAMaxThereIsOneResultWhateverEarlierPartsMadeOfIt) {
  const RunDirectory run({"bench", "run", "resumable", "--n", "max", "--memory-limit", "64"}, 64);
  const Plan plan = read_resumed(run.typed()).plan;
  CaseResult refused = result_of(plan, 1);
  refused.status = Status::out_of_memory;
  refused.reason = remark(RemarkCode::predicted_not_to_fit,
                          {{"predicted_bytes", 1}, {"categories", std::string("it 1 B")}, {"room_bytes", 0}});
  const GoneOn raised = go_on(plan, {refused}, 64);
  EXPECT_EQ(raised.left, (Ids{"resumable/n:64"}));
  EXPECT_EQ(raised.kept, Ids{});
  const GoneOn again = go_on(plan, {refused, result_of(plan, 64)}, 64);
  EXPECT_EQ(again.finished, (Places{0}));
  EXPECT_EQ(again.kept, (Ids{"resumable/n:64"}));
}

TEST(Resume, EveryForcedPartOfARunLeavesItsMark) {
  RunDirectory run({"bench", "run", "resumable", "--n", "1:8:+1"});
  Document now;
  now.run.build_ids = {{"bench", "aaaa"}};
  now.conditions = {{"OMP_NUM_THREADS", "2"}};
  const WorkerFacts workers{
      .build_ids = {{"bench-worker", "aaaa"}}, .libraries = {{"torch", "2.11.0"}}, .conditions = {}};
  ASSERT_FALSE(run.run(9, true, now, workers));
  EXPECT_EQ(run.document().run.build_ids.at("bench-worker"), "aaaa");
  ASSERT_FALSE(run.run(9, true, now, workers));
  EXPECT_FALSE(run.document().conditions.contains("resumed_with")) << "nothing was different";

  Document fewer = now;
  fewer.conditions["OMP_NUM_THREADS"] = "1";
  EXPECT_EQ(support::error_of(ErrorKind::usage, [&] { run.run(-1, false, fewer, workers); }),
            "--resume DIR: OMP_NUM_THREADS: 1, was 2; --force continues all the same and marks the results");
  EXPECT_FALSE(run.document().conditions.contains("resumed_with"));
  run.force = true;
  for (int again = 0; again < 2; ++again) ASSERT_FALSE(run.run(9, true, fewer, workers));
  EXPECT_EQ(run.document().conditions.at("resumed_with"), "OMP_NUM_THREADS: 1, was 2")
      << "a part that was killed has left it in the journal, the same one once";

  Document other = now;
  other.run.build_ids["bench"] = "bbbb";
  const WorkerFacts another{
      .build_ids = {{"bench-worker", "bbbb"}}, .libraries = {{"torch", "2.9.1"}}, .conditions = {}};
  run.force = false;
  EXPECT_EQ(support::error_of(ErrorKind::usage, [&] { run.run(-1, false, now, another); }),
            "--resume DIR: torch: 2.9.1, was 2.11.0; --force continues all the same and marks the results");
  run.force = true;
  ASSERT_TRUE(run.run(-1, false, other, another));
  const Document document = run.document();
  EXPECT_EQ(document.conditions.at("resumed_with"),
            "OMP_NUM_THREADS: 1, was 2 | bench's build: bbbb, was aaaa; torch: 2.9.1, was 2.11.0");
  EXPECT_EQ(document.conditions.at("OMP_NUM_THREADS"), "2") << "as it was begun";
  EXPECT_EQ(document.environment.libraries.at("torch"), "2.11.0");
  EXPECT_EQ(document.cases.size(), 8u);
}

TEST(Resume, ARefusalForWantOfMemoryIsForgottenOnceThereIsEnough) {
  const RunDirectory run({"bench", "run", "resumable", "--n", "4,5,100,max"}, 1);
  const Plan plan = read_resumed(run.typed()).plan;
  scheduler::Sweep sweep;
  sweep.spec = plan.spec;
  sweep.device = "cpu";
  sweep.room = {.device = "cpu", .bytes = 0};
  std::vector<CaseResult> results;
  for (const std::int64_t n : {4, 5, 100}) {
    results.push_back(result_of(plan, n));
    results.back().status = Status::out_of_memory;
    sweep.room.bytes = 1;
    results.back().reason =
        scheduler::refusal(sweep, {results.back().configuration, results.back().policy})->reason;
  }
  results[1].reason = said("warm-up: asked for 5 B");  // it was tried
  EXPECT_EQ(go_on(plan, results, 1).left, (Ids{"resumable/n:1"}));
  EXPECT_EQ(go_on(plan, results, 20).left, (Ids{"resumable/n:4", "resumable/n:16"}));
}

TEST(Resume, ACaseThatIsMeasuredAgainTakesThePlaceOfItsRefusal) {
  const auto row = [](std::int64_t n, Status status) {
    return CaseResult{.configuration = {.workload = "made-up", .values = {{"n", n}}}, .status = status};
  };
  Document before;
  before.cases = {row(1, Status::ok), row(2, Status::out_of_memory), row(3, Status::ok)};
  RunRecord record(before, before, {"DIR"});
  record.add(row(2, Status::ok));
  record.add(row(4, Status::ok));
  Document expected = before;
  expected.cases[1].status = Status::ok;
  expected.cases.push_back(row(4, Status::ok));
  EXPECT_EQ(record.document().cases, expected.cases);
}

TEST(Resume, AnotherMachineOrBuildIsADifferenceAndWhatIsNoMatterIsNone) {
  Document before;
  before.run.device = "cuda:0";
  before.run.build_ids = {{"bench", "aaaa"}};
  before.environment.host_os = "Debian, Linux 6.1.0";
  before.environment.cpu_model = "fast";
  before.environment.cpus_allowed = 4;
  before.environment.gpus = {{.name = "H200", .uuid = "GPU-1", .driver_version = "570.1"}};
  before.environment.libraries = {{"torch", "2.11.0"}, {"torch_worker torch", "2.11.0"}};
  before.conditions = {{"OMP_NUM_THREADS", "4"}, {"denormals", "flushed"}};
  Document now = before;
  now.environment.libraries.clear();  // a worker says that, and none has started yet
  now.conditions.erase("denormals");
  now.environment.memory_available_bytes = 12345;
  now.run.begin_utc = "later";
  EXPECT_TRUE(differences(before, now).empty());
  now.run.build_ids["bench"] = "bbbb";
  now.environment.host_os = "Debian, Linux 6.18.0";
  now.environment.cpu_model = "slow";
  now.environment.gpus[0].driver_version = "580.2";
  now.conditions["OMP_NUM_THREADS"] = "2";
  EXPECT_EQ(
      differences(before, now),
      (std::vector<std::string>{"bench's build: bbbb, was aaaa", "the host's CPU: slow, was fast",
                                "the GPUs: H200 GPU-1 (driver 580.2), was H200 GPU-1 (driver 570.1)",
                                "OMP_NUM_THREADS: 2, was 4",
                                "the operating system: Debian, Linux 6.18.0, was Debian, Linux 6.1.0"}));

  // The peer did not start this time, and the worker says one thing more.
  Document answered = before;
  answered.environment.libraries = {{"torch", "2.11.0"}, {"mkl", "2024.2"}};
  EXPECT_TRUE(differences(before, answered).empty());
  answered.environment.libraries["torch"] = "2.9.1";
  answered.conditions["denormals"] = "kept";
  EXPECT_EQ(differences(before, answered),
            (std::vector<std::string>{"denormals: kept, was flushed", "torch: 2.9.1, was 2.11.0"}));
}

TEST(Resume, AVariableOrASettingOfTheMachineThatChangesTimesIsADifference) {
  Document before;
  before.run.device = "cpu";
  before.environment.facts = {{"governor", "performance"}, {"load_average", "0.1 0.1 0.1"}, {"turbo", "on"}};
  Document now = before;
  now.environment.variables["MKL_CBWR"] = "COMPATIBLE";
  now.environment.facts = {{"governor", "powersave"}, {"load_average", "9 9 9"}};
  EXPECT_EQ(differences(before, now),
            (std::vector<std::string>{"MKL_CBWR: COMPATIBLE, was not set",
                                      "the CPU governor: powersave, was performance"}));
}

TEST(Resume, AFolderThatLacksAPartOfARunIsLeftAsItIs) {
  const support::TemporaryFolder folder;
  const auto refusal = [&] {
    return support::error_of(ErrorKind::usage, [&] { require_run_directory(folder.path()); });
  };
  EXPECT_TRUE(refusal().ends_with("it holds no plan.json, so there is no run to continue"));
  std::ofstream(folder.path("plan.json")) << "{}";
  EXPECT_TRUE(refusal().ends_with("it holds no cases.jsonl, so there is no run to continue"));
}

}  // namespace
}  // namespace bench::cli
