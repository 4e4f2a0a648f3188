#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/scheduler/case_stepper.hpp"
#include "harness/scheduler/process_worker.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bench::scheduler {
namespace {

// synthetic, in so many phases, by which its samples are told apart.
registry::PlannedCase in_phases(std::int64_t phases) {
  return {.configuration = {.workload = "synthetic",
                            .values = {{"behaviour", "sleep"},
                                       {"duration", std::int64_t{100}},
                                       {"noise", 0.0},
                                       {"phases", phases}}},
          .policy = {.warmup_steps = 3}};
}

// The real program, so that what the scripted worker stands for is true of it.
TEST(WorkerSlots, TwoCasesOfOneWorkerTakeSamplesByTurns) {
  const support::TemporaryFolder folder;
  SystemClock clock;
  const Interrupts interrupts;
  ProcessWorker worker({.program = std::getenv("BENCH_WORKER"),
                        .arguments = {"--command-fd", fmt::format("{}", ChildProcess::kCommandFd),
                                      "--event-fd", fmt::format("{}", ChildProcess::kEventFd), "--parent-pid",
                                      fmt::format("{}", getpid()), "--device", "cpu"},
                        .environment = {},
                        .log_path = folder.path("log")},
                       clock, interrupts);
  const CaseListener deaf = [](const CaseState&) {};
  CaseStepper a(worker, 0, in_phases(1), {}, clock, deaf), b(worker, 1, in_phases(2), {}, clock, deaf);
  for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->prepare()) << both->outcome().result.reason.text;
  for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->warm_up() && both->begin_samples());
  for (int pair = 0; pair < 3; ++pair)
    for (CaseStepper* both : {&a, &b})
      ASSERT_TRUE(both->take(SampleKind::warm_up, 1) && both->take(SampleKind::measured, 1));
  for (CaseStepper* both : {&a, &b}) ASSERT_TRUE(both->end_samples(said("3 pairs done")) && both->verify());
  EXPECT_TRUE(a.release());
  EXPECT_TRUE(b.make_passes());
  EXPECT_TRUE(b.release());
  for (const auto& [stepper, phases] : {std::pair(&a, 1u), {&b, 2u}}) {
    EXPECT_EQ(stepper->samples().count(SampleKind::measured), 3u);
    for (const Sample& sample : stepper->outcome().result.samples) EXPECT_EQ(sample.phase_ns.size(), phases);
  }
}

}  // namespace
}  // namespace bench::scheduler
