#include "harness/scheduler/worker_conditions.hpp"

#include <gtest/gtest.h>

namespace bench::scheduler {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

machine::Machine quiet_machine() {
  return {.cpus_online = 8, .cpus_allowed = 8, .shared_cpus = false, .memory_available_bytes = 16 * kGiB};
}

TEST(WorkerConditions, ThreadsAreTheAllowedCoresSharedAmongTheLocalRanks) {
  EXPECT_EQ(worker_conditions(quiet_machine(), {}).environment.at("OMP_NUM_THREADS"), "8");
  EXPECT_EQ(worker_conditions(quiet_machine(), {.local_ranks = 3}).environment.at("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(worker_conditions(quiet_machine(), {.local_ranks = 20}).environment.at("OMP_NUM_THREADS"), "1");
}

TEST(WorkerConditions, APersonsThreadCountIsHonoured) {
  const auto conditions = worker_conditions(quiet_machine(), {.own = {{"OMP_NUM_THREADS", "3"}}});
  EXPECT_EQ(conditions.environment.at("OMP_NUM_THREADS"), "3");
  EXPECT_EQ(conditions.recorded.at("OMP_NUM_THREADS"), "3");
}

TEST(WorkerConditions, BarriersSleepOnSharedOrTooFewCoresAndSpinElsewhere) {
  machine::Machine machine = quiet_machine();
  EXPECT_EQ(worker_conditions(machine, {}).environment.at("OMP_WAIT_POLICY"), "active");
  EXPECT_EQ(worker_conditions(machine, {.local_ranks = 9}).environment.at("OMP_WAIT_POLICY"), "passive");
  EXPECT_EQ(worker_conditions(machine, {.on_gpu = true}).environment.at("OMP_WAIT_POLICY"), "passive");
  machine.shared_cpus = true;
  EXPECT_EQ(worker_conditions(machine, {}).environment.at("OMP_WAIT_POLICY"), "passive");
}

TEST(WorkerConditions, BudgetIsWhatIsAvailableLessOneGiBOrThePersonsLimit) {
  EXPECT_EQ(worker_conditions(quiet_machine(), {}).memory_budget_bytes, 15 * kGiB);
  EXPECT_EQ(worker_conditions(quiet_machine(), {}).case_limit_bytes, 0);
  EXPECT_EQ(worker_conditions(quiet_machine(), {.memory_limit_bytes = 2 * kGiB}).case_limit_bytes, 2 * kGiB);
  EXPECT_EQ(worker_conditions(quiet_machine(), {.memory_limit_bytes = 2 * kGiB}).memory_budget_bytes,
            15 * kGiB);
  machine::Machine tight = quiet_machine();
  tight.memory_available_bytes = kGiB / 2;
  EXPECT_EQ(worker_conditions(tight, {}).memory_budget_bytes, kGiB / 4);
}

TEST(WorkerConditions, ALimitAboveWhatTheMachineHasIsNoLicenceToMeetTheKernelsKiller) {
  EXPECT_EQ(worker_conditions(quiet_machine(), {.memory_limit_bytes = 1000 * kGiB}).case_limit_bytes,
            15 * kGiB);
}

TEST(WorkerConditions, RecordedDoesNotDependOnHowMuchMemoryIsFreeNow) {
  machine::Machine later = quiet_machine();
  later.memory_available_bytes = 9 * kGiB;
  EXPECT_EQ(worker_conditions(quiet_machine(), {}).recorded, worker_conditions(later, {}).recorded);
}

TEST(WorkerConditions, HostDefaultsSetNothing) {
  const auto conditions = worker_conditions(quiet_machine(), {.host_defaults = true});
  EXPECT_TRUE(conditions.environment.empty());
  EXPECT_EQ(conditions.recorded.at("host_defaults"), "yes");
}

}  // namespace
}  // namespace bench::scheduler
