#include "harness/machine/gpu_fitness.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bench::machine {
namespace {

Gpu quiet_gpu() {
  Gpu gpu;
  gpu.cuda_index = 0;
  gpu.name = "NVIDIA H200";
  gpu.memory_total_bytes = 150'000'000'000;
  gpu.memory_free_bytes = 149'000'000'000;
  gpu.power_limit_w = gpu.power_limit_default_w = 700;
  gpu.ecc = gpu.persistence = true;
  gpu.mig = false;
  gpu.other_processes = 0;
  return gpu;
}

Fitness finding(const Gpu& gpu, const std::string& subject) {
  const std::vector<Fitness> all = fitness_of_gpus({gpu});
  const auto found = std::ranges::find(all, "GPU 0 " + subject, &Fitness::subject);
  EXPECT_NE(found, all.end()) << subject;
  return found == all.end() ? Fitness{} : *found;
}

TEST(JudgeGpus, AQuietGpuIsFitWithoutANote) {
  EXPECT_EQ(fitness_of_gpus({quiet_gpu()}).size(), 7u);
  for (const Fitness& one : fitness_of_gpus({quiet_gpu()})) {
    EXPECT_TRUE(one.fit) << one.subject;
    EXPECT_EQ(one.remedy, "") << one.subject;
  }
}

TEST(JudgeGpus, WhatCannotBeReadIsNotHeldAgainstIt) {
  for (const Fitness& one : fitness_of_gpus({Gpu{}}))
    EXPECT_TRUE(one.fit && one.remedy.empty()) << one.subject;
}

TEST(JudgeGpus, EachFaultIsUnfitWithItsRemedy) {
  Gpu gpu = quiet_gpu();
  gpu.other_processes = 2;
  gpu.other_processes_bytes = std::int64_t{3} << 30;
  gpu.memory_free_bytes = 90'000'000'000;
  gpu.mig = true;
  gpu.power_limit_w = 500;
  gpu.slowdowns = {"hardware slowdown"};
  for (const char* subject : {"processes", "memory", "MIG", "power limit", "clocks"}) {
    EXPECT_FALSE(finding(gpu, subject).fit) << subject;
    EXPECT_NE(finding(gpu, subject).remedy, "") << subject;
  }
  EXPECT_EQ(finding(gpu, "power limit").finding, "500 W, below the board's own 700 W");
  EXPECT_NE(finding(gpu, "power limit").remedy.find("sudo nvidia-smi -i 0 -pl 700"), std::string::npos);
  EXPECT_EQ(finding(gpu, "processes").finding.substr(0, 14), "2 others with ")
      << finding(gpu, "processes").finding;
}

TEST(JudgeGpus, PersistenceAndEccAreNotes) {
  Gpu gpu = quiet_gpu();
  gpu.persistence = gpu.ecc = false;
  for (const char* subject : {"persistence", "ECC"}) {
    EXPECT_TRUE(finding(gpu, subject).fit) << subject;
    EXPECT_NE(finding(gpu, subject).remedy, "") << subject;
  }
}

TEST(JudgeGpus, HiddenGpusAreLeftOutUnlessNoneCanBeMatched) {
  Gpu hidden = quiet_gpu();
  hidden.cuda_index.reset();
  hidden.index = 1;
  EXPECT_EQ(fitness_of_gpus({quiet_gpu(), hidden}).size(), 7u);
  EXPECT_EQ(fitness_of_gpus({hidden}).at(0).subject, "GPU 1 processes");
}

}  // namespace
}  // namespace bench::machine
