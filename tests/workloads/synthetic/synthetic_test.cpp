// The implementation, on a device that does nothing. That its statuses come out right through a worker
// process is the scheduler's test.
#include <unistd.h>

#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/registry/expand.hpp"
#include "harness/registry/registry.hpp"
#include "harness/worker/failure.hpp"
#include "harness/worker/workload.hpp"
#include "tests/support/idle_device.hpp"
#include "workloads/synthetic/behaviour.hpp"

namespace bench::synthetic {
namespace {

// Which phases a step opened, -1 for each end.
class NotedPhases final : public worker::Phases {
 public:
  void begin(int index) override { seen.push_back(index); }
  void end() override { seen.push_back(-1); }
  std::vector<int> seen;
};

support::IdleDevice device;

std::unique_ptr<worker::Workload> make(registry::Options options, const std::string& fault = "") {
  options.insert(options.begin(), {"duration", "0"});
  const auto planned = registry::expand(registry::require_workload("synthetic"),
                                        {.options = options, .preset = {}, .base_policy = {}});
  const worker::WorkloadFactory factory = worker::find_workload_factory("synthetic");
  return factory({.configuration = planned.at(0).configuration,
                  .seed = 42,
                  .inject_fault = fault,
                  .device = &device,
                  .progress = nullptr});
}

void run_steps(worker::Workload& workload, int steps) {
  NotedPhases phases;
  for (int i = 0; i < steps; ++i) workload.step(phases);
}

// The failure that `work` ends in, as a worker describes it.
template <typename Work>
worker::Failure failure_of(Work work) {
  try {
    work();
  } catch (...) {
    return worker::describe_failure(std::current_exception(), "samples");
  }
  return {Status::ok, ""};
}

TEST(Synthetic, IsRegisteredUnderItsSpecsName) {
  EXPECT_NE(worker::find_workload_factory("synthetic"), nullptr);
}

TEST(Synthetic, GoodBehavioursPassCheckAndVerification) {
  for (const char* name : {"sleep", "spin", "drift", "allocate", "leak"}) {
    const auto workload = make({{"behaviour", name}, {"noise", "20"}});
    EXPECT_TRUE(workload->check().passed) << name;
    workload->prepare_timed();
    run_steps(*workload, 5);
    const Check verification = workload->verify();
    EXPECT_TRUE(verification.passed) << name << ": " << verification.reason;
    EXPECT_EQ(verification.items.size(), 1u);
  }
}

TEST(Synthetic, WrongResultFailsTheCheckWithAReason) {
  const Check check = make({{"behaviour", "wrong-result"}})->check();
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.items.at(0).error, 1);
  EXPECT_EQ(check.reason, "the sum of a step's tokens is 541501, not 541500");
}

TEST(Synthetic, AnInjectedFaultFailsTheCheckAndAnUnknownOneIsRefused) {
  EXPECT_FALSE(make({}, "wrong-sum")->check().passed);
  EXPECT_EQ(failure_of([] { make({}, "swapped-heads"); }).reason,
            "samples: synthetic has no fault \"swapped-heads\"; valid: wrong-sum");
}

TEST(Synthetic, WrongAfterPassesTheCheckAndFailsTheVerificationOnceItHasStruck) {
  const auto workload = make({{"behaviour", "wrong-after"}, {"at", "3"}});
  EXPECT_TRUE(workload->check().passed);
  run_steps(*workload, 2);
  EXPECT_TRUE(workload->verify().passed);
  run_steps(*workload, 1);
  EXPECT_FALSE(workload->verify().passed);
  run_steps(*workload, 5);
  EXPECT_FALSE(workload->verify().passed);
}

TEST(Synthetic, FailThrowsInTheStepThatWasNamed) {
  const auto workload = make({{"behaviour", "fail"}, {"at", "3"}});
  EXPECT_TRUE(workload->check().passed);
  run_steps(*workload, 2);
  const worker::Failure failure = failure_of([&] { run_steps(*workload, 1); });
  EXPECT_EQ(failure.status, Status::failed);
  EXPECT_EQ(failure.reason, "samples: failed on request in step 3");
}

TEST(Synthetic, StepZeroIsTheCheck) {
  const auto workload = make({{"behaviour", "fail"}, {"at", "0"}});
  EXPECT_EQ(failure_of([&] { workload->check(); }).reason, "samples: failed on request in the check");
}

TEST(Synthetic, FailInSetupThrowsWhileItIsBuilt) {
  EXPECT_EQ(failure_of([] { make({{"behaviour", "fail-in-setup"}}); }).status, Status::failed);
}

TEST(Synthetic, AllocateOfMoreThanThereCanBeRunsOutOfMemory) {
  for (const char* name : {"allocate", "leak"}) {
    const auto workload = make({{"behaviour", name}, {"bytes", "1024TiB"}});
    EXPECT_TRUE(workload->check().passed);
    EXPECT_EQ(failure_of([&] { run_steps(*workload, 1); }).status, Status::out_of_memory) << name;
  }
}

TEST(Synthetic, DividesAStepIntoItsPhases) {
  const auto workload = make({{"phases", "3"}});
  EXPECT_EQ(workload->phase_names(), (std::vector<std::string>{"phase-1", "phase-2", "phase-3"}));
  NotedPhases phases;
  workload->step(phases);
  EXPECT_EQ(phases.seen, (std::vector<int>{0, 1, 2, -1}));
}

TEST(SyntheticDeathTest, CrashEndsTheProcessBySigsegv) {
  EXPECT_EXIT(run_steps(*make({{"behaviour", "crash"}}), 1), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(SyntheticDeathTest, ExitEndsTheProcessWithoutAWord) {
  EXPECT_EXIT(run_steps(*make({{"behaviour", "exit"}}), 1), ::testing::ExitedWithCode(0), "^$");
}

TEST(SyntheticDeathTest, HangIsEndedOnlyFromOutside) {
  EXPECT_EXIT(
      {
        ualarm(200'000, 0);
        run_steps(*make({{"behaviour", "hang"}}), 1);
      },
      ::testing::KilledBySignal(SIGALRM), "");
}

}  // namespace
}  // namespace bench::synthetic
