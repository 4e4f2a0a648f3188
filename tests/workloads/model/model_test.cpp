#include "workloads/model/model_run.hpp"

#include <ATen/ops/equal.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "harness/worker/comparison.hpp"
#include "tests/workloads/model/tiny.hpp"
#include "workloads/model/reference.hpp"

namespace bench::model {
namespace {

using worker::relative_error;

struct Tiny {
  explicit Tiny(std::uint64_t seed = 0, Mode mode = Mode::forward_backward) {
    configuration = configuration_of(tiny_case());
    configuration.mode = mode;
    configuration.precision = Precision::fp64;
    at::Generator generator = seeded_generator(seed, at::kCPU);
    const Parameters fp32 = initialized_parameters(configuration.dimensions, generator, {});
    weights =
        converted(fp32, configuration.dimensions, [](const at::Tensor& t) { return t.to(at::kDouble); });
    batch = random_batch(configuration.dimensions, generator);
    for (std::size_t i = 0; i < weights.names.size(); ++i) by_name[weights.names[i]] = weights.tensors[i];
  }
  at::Tensor reference_loss() const {
    return reference::loss(reference::logits(configuration.dimensions, by_name, batch.tokens), batch.targets);
  }
  Configuration configuration;
  Parameters weights;
  Batch batch;
  reference::Weights by_name;
};

TEST(Reference, GradientsAreThoseOfFiniteDifferences) {
  Tiny tiny;
  for (const at::Tensor& weight : tiny.weights.tensors) weight.set_requires_grad(true);
  tiny.reference_loss().backward();

  const c10::NoGradGuard no_grad;
  constexpr double kStep = 1e-5;
  at::Generator generator = seeded_generator(7, at::kCPU);
  for (std::size_t i = 0; i < tiny.weights.tensors.size(); ++i) {
    const at::Tensor& weight = tiny.weights.tensors[i];
    // Along a random direction: one number per tensor to which every entry contributes.
    const at::Tensor direction = weight.detach().clone().uniform_(-1, 1, generator);
    const double expected = weight.grad().mul(direction).sum().item<double>();
    weight.add_(direction, kStep);
    const double above = tiny.reference_loss().item<double>();
    weight.add_(direction, -2 * kStep);
    const double below = tiny.reference_loss().item<double>();
    weight.add_(direction, kStep);
    // Central differences: the error is of order kStep² ~ 1e-10 and loss·1e-16/kStep ~ 1e-10.
    EXPECT_NEAR((above - below) / (2 * kStep), expected, 1e-7 + 1e-6 * std::abs(expected))
        << tiny.weights.names[i];
  }
}

TEST(Reference, FirstTokensLogitsDoNotDependOnLaterTokens) {
  Tiny tiny;
  const at::Tensor before = reference::logits(tiny.configuration.dimensions, tiny.by_name, tiny.batch.tokens);
  at::Tensor changed = tiny.batch.tokens.clone();
  changed.select(1, 7).add_(1).remainder_(61);
  const at::Tensor after = reference::logits(tiny.configuration.dimensions, tiny.by_name, changed);
  EXPECT_LT(relative_error(after.narrow(1, 0, 7), before.narrow(1, 0, 7)), 1e-14);
  EXPECT_GT(relative_error(after.narrow(1, 7, 5), before.narrow(1, 7, 5)), 0.01);
}

TEST(Eager, LogitsAgreeWithTheIndependentModelInFp64) {
  for (const char* attention : {"naive", "tiled", "sdpa"}) {
    for (const std::uint64_t seed : {0u, 1u, 2u}) {
      Tiny tiny(seed, Mode::forward);
      tiny.configuration.attention = attention;
      ModelRun run(tiny.configuration, tiny.weights);
      const at::Tensor expected =
          reference::logits(tiny.configuration.dimensions, tiny.by_name, tiny.batch.tokens);
      const at::Tensor logits = run.logits(tiny.batch.tokens);
      EXPECT_FALSE(logits.requires_grad());
      EXPECT_LT(relative_error(logits, expected), 1e-10) << attention;
    }
  }
}

TEST(Eager, LossAndGradientsAgreeWithTheIndependentModelInFp64) {
  Tiny tiny;
  ModelRun run(tiny.configuration, tiny.weights);
  const at::Tensor loss = run.loss(tiny.batch);
  run.backward(loss);
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& weight : run.parameters().tensors) gradients.push_back(weight.grad());
  run.zero_gradients();
  for (const at::Tensor& weight : run.parameters().tensors) EXPECT_FALSE(weight.grad().defined());

  const at::Tensor expected = tiny.reference_loss();
  expected.backward();
  EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-12);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_LT(relative_error(gradients[i], tiny.weights.tensors[i].grad()), 1e-10) << tiny.weights.names[i];
  }
}

TEST(Eager, MixedPrecisionKeepsWeightsAndGradientsInFp32) {
  Configuration configuration = configuration_of(tiny_case({{"precision", "bf16-mixed"}}));
  at::Generator generator = seeded_generator(0, at::kCPU);
  ModelRun run(configuration, initialized_parameters(configuration.dimensions, generator, {}));
  const Batch batch = random_batch(configuration.dimensions, generator);
  EXPECT_EQ(run.logits(batch.tokens).scalar_type(), at::kBFloat16);
  const at::Tensor loss = run.loss(batch);
  EXPECT_EQ(loss.scalar_type(), at::kFloat);
  run.backward(loss);
  for (const at::Tensor& weight : run.parameters().tensors) {
    EXPECT_EQ(weight.scalar_type(), at::kFloat);
    EXPECT_EQ(weight.grad().scalar_type(), at::kFloat);
  }
  // The autocast cache must not outlive the forward: after an update the next one sees the new weights.
  const at::Tensor before = run.logits(batch.tokens);
  run.update();
  run.zero_gradients();
  EXPECT_FALSE(at::equal(before, run.logits(batch.tokens)));
}

}  // namespace
}  // namespace bench::model
