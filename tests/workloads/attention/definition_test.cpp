#include "workloads/attention/definition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "harness/registry/expand.hpp"
#include "workloads/attention/problem.hpp"

namespace bench::attention {
namespace {

std::vector<Case> cases(const registry::Options& options, const registry::Options& preset = {}) {
  static const registry::WorkloadSpec spec = make_spec();
  std::vector<Case> result;
  for (const auto& planned :
       registry::expand(spec, {.options = options, .preset = preset, .base_policy = {}}))
    result.push_back(planned.configuration);
  return result;
}

std::vector<Case> of_preset(const std::string& name) {
  const registry::WorkloadSpec spec = make_spec();
  const auto preset = std::ranges::find(spec.presets, name, &registry::Preset::name);
  registry::Options axes;
  for (const auto& option : preset->options)
    if (option.first != "steps" && option.first != "time-budget") axes.push_back(option);
  return cases({}, axes);
}

// By hand, small enough to count the triangle's area.
TEST(AttentionWork, PairsAreTheAreaThatTheMaskLetsThrough) {
  const auto pairs = [](std::int64_t queries, std::int64_t keys, Causal causal) {
    return counted_pairs({.batch = 1, .queries = queries, .keys = keys, .causal = causal});
  };
  EXPECT_EQ(pairs(4, 6, Causal::no), 24);
  EXPECT_EQ(pairs(4, 4, Causal::yes), 8);
  EXPECT_EQ(pairs(4, 6, Causal::yes), 8);          // keys 4 and 5 are seen by none
  EXPECT_EQ(pairs(6, 4, Causal::yes), 8 + 2 * 4);  // the last two queries see all
  EXPECT_EQ(pairs(4, 6, Causal::bottom_right), 2 * 4 + 8);
  EXPECT_EQ(pairs(6, 4, Causal::bottom_right), 8);  // the first two queries see none
  EXPECT_EQ(counted_pairs({.batch = 3, .heads = 5, .queries = 4, .keys = 4, .causal = Causal::yes}), 120);
}

TEST(AttentionWork, BackwardIsTwoAndAHalfForwards) {
  const registry::Options shape{
      {"batch", "2"}, {"heads", "3"}, {"d-head", "64"}, {"sequence", "128"}, {"causal", "yes"}};
  const auto flop = [&](const char* mode) {
    registry::Options options = shape;
    options.emplace_back("mode", mode);
    return work_of(cases(options).at(0)).flop();
  };
  const double forward = 4.0 * 2 * 3 * (128.0 * 128 / 2) * 64;
  EXPECT_EQ(flop("forward"), forward);
  EXPECT_EQ(flop("backward"), 2.5 * forward);
  EXPECT_EQ(flop("forward-backward"), 3.5 * forward);
  // Q, K, V read and O written in fp32.
  const Work work =
      work_of(cases({{"mode", "forward"}, {"batch", "1"}, {"sequence", "10"}, {"d-head", "8"}}).at(0));
  EXPECT_EQ(work.amounts[1].metric, "bytes_moved");
  EXPECT_EQ(work.amounts[1].per_step, 4 * 4 * 10 * 8);
}

TEST(AttentionMemory, ColumnsAreBytesAndScoreMatrices) {
  const Case configuration = cases({{"batch", "8"}, {"sequence", "1024"}}).at(0);
  const double matrix = 8.0 * 1024 * 1024 * 4;
  EXPECT_EQ(score_matrix_bytes(problem_of(configuration)), matrix);
  const auto bytes = [&](double matrices) { return static_cast<std::int64_t>(matrices * matrix); };
  const std::vector<Summary> columns = make_spec().memory_columns(
      configuration, {.phases = {{"forward", 0, bytes(2.5)}, {"backward", bytes(1), bytes(4)}}});
  ASSERT_EQ(columns.size(), 6u);
  EXPECT_EQ(columns[0].metric, "fwd_peak_mem");
  EXPECT_EQ(columns[0].value, 2.5 * matrix);
  EXPECT_EQ(columns[1].metric, "fwd_peak_mem_scores");
  EXPECT_EQ(columns[1].value, 2.5);
  EXPECT_EQ(columns[2].metric, "bwd_mem_before_backward");
  EXPECT_EQ(columns[3].value, 1);
  EXPECT_EQ(columns[5].value, 4);
  // Held, all three of them: `compare --fail-on memory` takes them, `--fail-on bytes` does not.
  for (const std::size_t i : {0u, 2u, 4u}) EXPECT_EQ(columns[i].kind, Quantity::memory) << columns[i].metric;
}

TEST(AttentionPresets, AreTheSweepsThatTheyAreNamedAfter) {
  EXPECT_EQ(of_preset("seed").size(), 20u);  // four widths, five lengths
  for (const Case& configuration : of_preset("seed")) {
    EXPECT_FALSE(configuration.has("heads"));
    EXPECT_EQ(configuration.integer("batch"), 8);
  }
  EXPECT_EQ(of_preset("flash").size(), 10u * 4 * 2 * 3 * 6);
  const std::vector<Case> paper = of_preset("paper");
  EXPECT_EQ(paper.size(), 2u * 6 * 2 * 2 * 6);
  for (const Case& configuration : paper) {
    const Problem problem = problem_of(configuration);
    EXPECT_EQ(problem.batch * problem.queries, 16'384);
    EXPECT_EQ(problem.heads * problem.d_head, 2048);
  }
}

TEST(AttentionSpec, KernelsThatLibTorchHasOnlyOnCudaAreSkippedOnTheCpu) {
  for (const char* name : {"sdpa-efficient", "sdpa-cudnn"}) {
    EXPECT_EQ(supports_variant(name, "cpu").reason,
              "LibTorch has " + std::string(name) + " on CUDA devices only");
    EXPECT_TRUE(supports_variant(name, "cuda:0").yes);
  }
  for (const char* name : {"naive", "tiled", "sdpa", "sdpa-math", "sdpa-flash"})
    EXPECT_TRUE(supports_variant(name, "cpu").yes);
}

}  // namespace
}  // namespace bench::attention
