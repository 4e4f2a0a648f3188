#include "workloads/model/initialization.hpp"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <cmath>

namespace bench::model {
namespace {

constexpr Dimensions kDimensions{
    .d_model = 128, .d_ff = 512, .layers = 2, .heads = 4, .vocabulary = 1000, .context = 16, .batch = 2};

Parameters with_seed(std::uint64_t seed) {
  at::Generator generator = seeded_generator(seed, at::kCPU);
  return initialized_parameters(kDimensions, generator, {});
}

TEST(Initialization, ASeedFixesEveryBit) {
  const Parameters a = with_seed(3), b = with_seed(3), c = with_seed(4);
  for (std::size_t i = 0; i < a.tensors.size(); ++i)
    EXPECT_TRUE(at::equal(a.tensors[i], b.tensors[i])) << a.names[i];
  EXPECT_FALSE(at::equal(a.embedding, c.embedding));
}

TEST(Initialization, ParametersAreAsManyAsTheFormulaSays) {
  std::int64_t count = 0;
  for (const at::Tensor& tensor : with_seed(0).tensors) count += tensor.numel();
  EXPECT_EQ(count, parameter_count(kDimensions));
}

TEST(Initialization, SpreadsAreThoseOfATruncatedNormal) {
  const Parameters parameters = with_seed(0);
  // A normal distribution cut at 3 std keeps a standard deviation of 0.98658.
  constexpr double kCutStd = 0.98658;
  const auto expect = [&](const at::Tensor& tensor, double std_deviation) {
    EXPECT_NEAR(tensor.std().item<double>(), kCutStd * std_deviation, 0.01 * std_deviation);
    EXPECT_NEAR(tensor.mean().item<double>(), 0, 0.02 * std_deviation);
    EXPECT_LE(tensor.abs().max().item<double>(), 3 * std_deviation * (1 + 1e-6));
    EXPECT_GT(tensor.abs().max().item<double>(), 2.9 * std_deviation);
  };
  expect(parameters.embedding, 1.0);
  expect(parameters.head, std::sqrt(2.0 / (128 + 1000)));
  expect(parameters.blocks[1].w1, std::sqrt(2.0 / (128 + 512)));
  expect(parameters.blocks[1].query, std::sqrt(2.0 / (128 + 128)));
  EXPECT_EQ(parameters.final_norm.min().item<double>(), 1);
  EXPECT_EQ(parameters.final_norm.max().item<double>(), 1);
}

TEST(Initialization, NamesAndStructureMeanTheSameTensors) {
  const Parameters parameters = with_seed(0);
  for (std::size_t i = 0; i < parameters.names.size(); ++i) {
    if (parameters.names[i] == "blocks.1.attention.query.weight") {
      EXPECT_TRUE(parameters.tensors[i].is_same(parameters.blocks[1].query));
    }
    if (parameters.names[i] == "blocks.0.feed_forward.w2.weight") {
      EXPECT_TRUE(parameters.tensors[i].is_same(parameters.blocks[0].w2));
    }
  }
  EXPECT_EQ(parameters.names.front(), "embedding.weight");
  EXPECT_EQ(parameters.names.back(), "head.weight");
}

TEST(Initialization, TokensLieInTheVocabulary) {
  at::Generator generator = seeded_generator(0, at::kCPU);
  const Batch batch = random_batch(kDimensions, generator);
  EXPECT_EQ(batch.tokens.size(0), 2);
  EXPECT_EQ(batch.tokens.size(1), 16);
  EXPECT_GE(batch.tokens.min().item<std::int64_t>(), 0);
  EXPECT_LT(batch.targets.max().item<std::int64_t>(), 1000);
  EXPECT_FALSE(at::equal(batch.tokens, batch.targets));
}

}  // namespace
}  // namespace bench::model
