#include "harness/worker/counting_allocator.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "harness/worker/failure.hpp"

namespace bench::worker {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

at::Tensor bytes(std::int64_t count) {
  return at::empty({count}, at::kByte);
}

struct CountingAllocator : testing::Test {
  void SetUp() override {
    install_counting_allocator(0);
    before = allocation_counts().allocated_bytes;
    reset_peak_allocated();
  }
  void TearDown() override { install_counting_allocator(0); }
  std::int64_t grown() const { return allocation_counts().allocated_bytes - before; }
  std::int64_t peak_grown() const { return allocation_counts().peak_bytes - before; }
  static std::int64_t at_peak(AllocationCategory category) {
    return allocation_counts().by_category_at_peak[static_cast<std::size_t>(category)];
  }
  std::int64_t before = 0;
};

TEST_F(CountingAllocator, CountsExactlyTheBytesAskedFor) {
  at::Tensor a = bytes(1000), b = bytes(3);
  EXPECT_EQ(grown(), 1003);
  a.reset();
  EXPECT_EQ(grown(), 3);
  b.reset();
  EXPECT_EQ(grown(), 0);
  EXPECT_EQ(peak_grown(), 1003);
}

TEST_F(CountingAllocator, PeakIsTheMostThatLivedAtOnce) {
  for (int i = 0; i < 5; ++i) bytes(1000);
  EXPECT_EQ(peak_grown(), 1000);
  reset_peak_allocated();
  EXPECT_EQ(peak_grown(), 0);
}

// What is in a line of /proc/self/status, in bytes.
std::int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
  return 0;
}

TEST_F(CountingAllocator, KeptBlocksMakeWayForSmallOnes) {
  constexpr std::int64_t kSmall = 512 << 10;
  std::vector<at::Tensor> small;
  small.reserve(128);
  bytes(128 * kMiB);  // kept
  rlimit unlimited{};
  getrlimit(RLIMIT_DATA, &unlimited);
  rlimit tight = unlimited;
  tight.rlim_cur = static_cast<rlim_t>(status_bytes("VmData") + 4 * kMiB);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &tight), 0);
  EXPECT_NO_THROW(while (small.size() < 128) small.push_back(bytes(kSmall)));
  setrlimit(RLIMIT_DATA, &unlimited);
  EXPECT_EQ(grown(), 128 * kSmall);
}

TEST_F(CountingAllocator, EmptyTensorsCostNothing) {
  const at::Tensor nothing = bytes(0);
  EXPECT_EQ(grown(), 0);
}

TEST_F(CountingAllocator, DataKeepsTheAlignmentThatKernelsExpect) {
  for (const std::int64_t count : {1, 7, 100, 4097})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes(count).data_ptr()) % 64, 0u);
}

TEST_F(CountingAllocator, PoisonedBlocksAreNanUntilTheyAreWritten) {
  const auto nans = [](std::int64_t count, at::ScalarType dtype) {
    return at::empty({count}, dtype).isnan().sum().item<std::int64_t>();
  };
  {
    const BlocksPoisoned poisoned;
    for (const std::int64_t count : {7, 1'000'000})
      for (const at::ScalarType dtype : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf})
        EXPECT_EQ(nans(count, dtype), count) << dtype;
  }
  at::ones({1'000'000}, at::kFloat);
  EXPECT_EQ(nans(1'000'000, at::kFloat), 0);  // the same block, as it was left
}

TEST_F(CountingAllocator, BlocksFreedOnAnotherThreadBalance) {
  at::Tensor tensor = bytes(5000);
  std::thread([moved = std::move(tensor)]() mutable { moved.reset(); }).join();
  EXPECT_EQ(grown(), 0);
}

TEST_F(CountingAllocator, CategoriesAreThoseOfThePeak) {
  at::Tensor parameter, activation;
  {
    const CategoryScope scope(AllocationCategory::parameters);
    parameter = bytes(1000);
  }
  {
    const CategoryScope scope(AllocationCategory::activations);
    activation = bytes(300);
    activation.reset();
  }
  EXPECT_EQ(at_peak(AllocationCategory::parameters), 1000);
  EXPECT_EQ(at_peak(AllocationCategory::activations), 300);
}

TEST_F(CountingAllocator, RetaggedBlocksCountInTheirNewCategory) {
  const at::Tensor gradient = bytes(700);
  retag(gradient.slice(0, 100), AllocationCategory::gradients);  // through a view
  const at::Tensor more = bytes(1);                              // a new peak
  EXPECT_EQ(at_peak(AllocationCategory::gradients), 700);
  retag(at::Tensor(), AllocationCategory::gradients);
}

TEST_F(CountingAllocator, BeyondItsBudgetItRefusesAndForgetsNothing) {
  install_counting_allocator(allocation_counts().allocated_bytes + 10 * kMiB);
  const at::Tensor held = bytes(8 * kMiB);
  try {
    bytes(3 * kMiB);
    FAIL() << "the budget was passed";
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception(), "warm-up");
    EXPECT_EQ(failure.status, Status::out_of_memory);
    EXPECT_NE(
        failure.reason.find("warm-up: asked for 3.00 MiB with 8.00 MiB of the budget of 10.0 MiB in use"),
        std::string::npos)
        << failure.reason;
  }
  EXPECT_EQ(grown(), 8 * kMiB);
  EXPECT_EQ(at::ones({1000}, at::kByte).sum().item<std::int64_t>(), 1000);  // and the next one is right
}

TEST_F(CountingAllocator, APersonsLimitHoldsForCasesAndNotForTheirChecks) {
  limit_cases(allocation_counts().allocated_bytes + 2 * kMiB);
  EXPECT_THROW(bytes(3 * kMiB), c10::OutOfMemoryError);
  {
    const CaseLimitLifted room;
    EXPECT_EQ(bytes(3 * kMiB).numel(), 3 * kMiB);
  }
  EXPECT_THROW(bytes(3 * kMiB), c10::OutOfMemoryError);
  limit_cases(0);
}

}  // namespace
}  // namespace bench::worker
