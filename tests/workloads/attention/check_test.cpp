#include "workloads/attention/check.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "harness/worker/counting_allocator.hpp"
#include "tests/workloads/attention/shapes.hpp"

namespace bench::attention {
namespace {

Check check_of(const Problem& problem, const std::string& fault = "", std::uint64_t seed = 0) {
  return check_attention({problem, parse_fault(fault, problem), seed, at::kCPU, {}});
}

std::string text(const Problem& problem) {
  return std::string(to_text(problem.dtype)) + " " + problem.implementation + " B" +
         std::to_string(problem.batch) + " H" + std::to_string(problem.heads) + " Sq" +
         std::to_string(problem.queries) + " Sk" + std::to_string(problem.keys) + " D" +
         std::to_string(problem.d_head) + " " + std::string(to_text(problem.causal));
}

// Lengths of 1 to 130, any width of 8 to 256, every mask, with and without heads.
TEST(AttentionCheck, RandomProblemsPassInEveryImplementationAndDtype) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 generator(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 12; ++i) {
    Problem problem{.batch = between(1, 2), .heads = between(0, 2)};
    problem.queries = between(0, 2) == 0 ? between(1, 3) : between(1, 130);
    problem.keys = between(0, 1) == 0 ? problem.queries : between(1, 130);
    problem.d_head = between(8, 256);
    problem.causal = static_cast<Causal>(between(0, 2));
    for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::fp16}) {
      for (const std::string& implementation : kOnTheCpu) {
        problem.dtype = dtype;
        problem.implementation = implementation;
        const Check check = check_of(problem, "", seed);
        EXPECT_TRUE(check.passed) << text(problem) << ", seed " << seed << ": " << check.reason;
        EXPECT_FALSE(check.items.empty());
      }
    }
  }
}

TEST(AttentionCheck, FaultsAreCaughtInEveryImplementationDtypeAndMode) {
  worker::install_counting_allocator(0);  // as in a worker: it poisons what was not written
  for (const Mode mode : {Mode::forward, Mode::backward, Mode::forward_backward}) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::fp16}) {
      for (const std::string& implementation : kOnTheCpu) {
        const Problem problem{.batch = 2,
                              .heads = 3,
                              .queries = 100,
                              .keys = 100,
                              .d_head = 32,
                              .causal = Causal::yes,
                              .dtype = dtype,
                              .implementation = implementation,
                              .mode = mode};
        for (const char* fault : {"zero-output", "wrong-scale", "mask-off-by-one", "swapped-heads",
                                  "unwritten-row", "stale-output"})
          EXPECT_FALSE(check_of(problem, fault).passed) << fault << " in " << text(problem);
        if (implementation != "tiled") continue;
        EXPECT_FALSE(check_of(problem, "stale-lse").passed) << text(problem);
      }
    }
  }
}

// The returned log-sum-exp is right again here, so that it is the gradients that must show the stale one.
TEST(AttentionCheck, AStaleLogSumExpShowsInTheGradients) {
  const Problem problem{
      .batch = 1, .heads = 2, .queries = 64, .keys = 64, .d_head = 16, .implementation = "tiled"};
  int wrong_gradients = 0;
  for (const CheckItem& item : check_of(problem, "stale-lse").items)
    if (item.what.find("dV") != std::string::npos && item.error > item.allowed) ++wrong_gradients;
  EXPECT_GE(wrong_gradients, 2);
}

TEST(AttentionCheck, LongProblemsAreShortenedWithTheirTails) {
  const Problem problem{.batch = 16, .heads = 32, .queries = 1000, .keys = 4000, .d_head = 128};
  const Problem small = small_version(problem, at::kCPU);
  EXPECT_EQ(small.batch, 2);
  EXPECT_EQ(small.heads, 4);
  EXPECT_EQ(small.d_head, 128);
  EXPECT_EQ(small.keys, 288);    // 4000 % 64 = 32, at most 320
  EXPECT_EQ(small.queries, 40);  // 1000 % 64 = 40, at most 80
  EXPECT_EQ(small_version(problem, c10::Device("cuda:0")).keys, 2016);
  const Problem tiny{.batch = 1, .queries = 7, .keys = 9};
  EXPECT_EQ(small_version(tiny, at::kCPU).queries, 7);
}

TEST(AttentionCheck, QueriesThatSeeNoKeyStayInTheShortenedProblem) {
  const auto blind = [](std::int64_t queries, std::int64_t keys) {
    const Problem small =
        small_version({.queries = queries, .keys = keys, .causal = Causal::bottom_right}, at::kCPU);
    return small.queries - small.keys;
  };
  EXPECT_EQ(blind(385, 382), 3);
  EXPECT_GT(blind(100'000, 321), 0);
  EXPECT_LE(blind(382, 385), 0);
}

TEST(AttentionCheck, NaiveIsHeldToFixedBoundsAndOthersToNaive) {
  Problem problem{.batch = 1, .queries = 32, .keys = 32, .d_head = 16};
  for (const CheckItem& item : check_of(problem).items) EXPECT_TRUE(item.what.starts_with("naive, fp32: "));
  problem.implementation = "tiled";
  int of_tiled = 0;
  for (const CheckItem& item : check_of(problem).items) of_tiled += item.what.starts_with("naive") ? 0 : 1;
  EXPECT_GT(of_tiled, 5);
}

}  // namespace
}  // namespace bench::attention
