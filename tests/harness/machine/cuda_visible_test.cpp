#include "harness/machine/cuda_visible.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/machine/processes.hpp"
#include "tests/harness/machine/made_up_machine.hpp"

namespace bench::machine {
namespace {

using Places = std::vector<int>;

std::vector<Gpu> three_gpus() {
  std::vector<Gpu> gpus(3);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    gpus[i].name = "NVIDIA H200";
    gpus[i].uuid = std::string("GPU-") + "abc"[i] + "1234";
  }
  return gpus;
}

TEST(VisibleDevices, FollowCudasRules) {
  const std::vector<Gpu> gpus = three_gpus();
  EXPECT_EQ(visible_devices(gpus, std::nullopt), (Places{0, 1, 2}));
  EXPECT_EQ(visible_devices(gpus, "2,0"), (Places{2, 0}));
  EXPECT_EQ(visible_devices(gpus, ""), Places{});
  EXPECT_EQ(visible_devices(gpus, "1,-1,0"), Places{1});  // the first invalid one ends the list
  EXPECT_EQ(visible_devices(gpus, "0,7,1"), Places{0});
  EXPECT_EQ(visible_devices(gpus, "GPU-c,GPU-a1234"), (Places{2, 0}));  // beginnings do
  EXPECT_EQ(visible_devices(gpus, "1,1"), Places{});
  EXPECT_EQ(visible_devices(gpus, "MIG-1/2/3,0"), (Places{-1, 0}));
}

TEST(VisibleDevices, NoNameConjuresAGpu) {
  for (const char* const visible : {"MIG-1/2/3", "GPU-c", "0", "-1", "", "NoDevFiles", "MIG-1,MIG-2,0"}) {
    EXPECT_EQ(visible_devices({}, visible), Places{}) << visible;
    EXPECT_EQ(count_visible(0, visible), 0) << visible;
  }
  std::vector<Gpu> whole = three_gpus();
  for (Gpu& gpu : whole) gpu.mig = false;
  EXPECT_EQ(visible_devices(whole, "MIG-1/2/3,0"), Places{}) << "none of them is cut into instances";
  whole[1].mig = true;
  EXPECT_EQ(visible_devices(whole, "0,MIG-1/2/3"), (Places{0, -1}));
  EXPECT_EQ(visible_devices(whole, "0,GPU-d,1"), Places{0}) << "no GPU is called so";
}

TEST(NumberForCuda, GivesEachGpuItsNumber) {
  std::vector<Gpu> gpus = three_gpus();
  number_for_cuda(gpus, "2,0", "");
  EXPECT_EQ(gpus[0].cuda_index, 1);
  EXPECT_FALSE(gpus[1].cuda_index);
  EXPECT_EQ(gpus[2].cuda_index, 0);
}

TEST(NumberForCuda, SeveralKindsHaveNumbersOnlyInPciOrder) {
  std::vector<Gpu> gpus = three_gpus();
  gpus[2].name = "NVIDIA L4";
  number_for_cuda(gpus, std::nullopt, "");
  for (const Gpu& gpu : gpus) EXPECT_FALSE(gpu.cuda_index);
  number_for_cuda(gpus, std::nullopt, "PCI_BUS_ID");
  EXPECT_EQ(gpus[2].cuda_index, 2);
}

TEST(CountVisible, NeedsNoDriver) {
  EXPECT_EQ(count_visible(4, std::nullopt), 4);
  EXPECT_EQ(count_visible(4, "3,1"), 2);
  EXPECT_EQ(count_visible(4, ""), 0);
  EXPECT_EQ(count_visible(4, "GPU-a,GPU-b"), 2);
  EXPECT_EQ(count_visible(4, "-1,GPU-a"), 0);
  EXPECT_EQ(count_visible(4, "NoDevFiles"), 0);
  EXPECT_EQ(count_visible(1, "GPU-a,GPU-b"), 1);
  EXPECT_EQ(count_visible(1, "MIG-1/2/3"), 1);
}

TEST(Descendants, AreFoundThroughTheirParents) {
  MadeUpMachine machine;
  machine.with("/proc/10/stat", "10 (bench) S 1 10\n")
      .with("/proc/11/stat", "11 (a) b) S 10 10\n")  // the name is hostile on purpose
      .with("/proc/12/stat", "12 (c) S 11 10\n")
      .with("/proc/13/stat", "13 (d) S 1 10\n")
      .with("/proc/self/stat", "13 (d) S 10 10\n");
  EXPECT_EQ(descendants_of(10, machine.root()), (std::set<std::int64_t>{10, 11, 12}));
  EXPECT_EQ(descendants_of(99, machine.root()), (std::set<std::int64_t>{99}));
  EXPECT_TRUE(descendants_of(getppid()).contains(getpid()));
}

}  // namespace
}  // namespace bench::machine
