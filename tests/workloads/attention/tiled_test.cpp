#include "workloads/attention/tiled.hpp"

#include <gtest/gtest.h>

#include "harness/worker/comparison.hpp"
#include "tests/workloads/attention/shapes.hpp"
#include "workloads/attention/reference.hpp"

namespace bench::attention {
namespace {

// Tiles that do not divide the lengths, are larger than them, or hold a single row.
TEST(Tiled, TheResultDoesNotDependOnTheTile) {
  for (const Causal causal : {Causal::no, Causal::yes, Causal::bottom_right}) {
    const Problem problem{.batch = 2, .heads = 2, .queries = 45, .keys = 31, .d_head = 12, .causal = causal};
    const Masking masking = masking_of(problem, at::kCPU);
    const Inputs inputs = random_inputs(problem, 1, at::kCPU);
    const reference::Results right = reference::attention(inputs, masking);
    for (const Tile tile :
         {Tile{1, 1}, Tile{7, 5}, Tile{16, 16}, Tile{45, 31}, Tile{1000, 1000}, Tile{3, 64}}) {
      const at::Tensor query = inputs.query.detach().requires_grad_();
      const Attended attended = make_tiled(masking, tile)(query, inputs.key, inputs.value);
      attended.output.backward(inputs.d_output);
      EXPECT_LT(worker::relative_error(attended.output, right.output), 2e-6) << tile.queries;
      EXPECT_LT(worker::relative_error(query.grad(), right.d_query), 5e-6) << tile.queries;
    }
  }
}

TEST(Tiled, KeepsItsInputsItsOutputAndOneTensorOfTheLogSumExpsShape) {
  for (const std::int64_t heads : {0, 3}) {
    const Problem problem{.batch = 2, .heads = heads, .queries = 40, .keys = 40, .d_head = 16};
    const Inputs inputs = random_inputs(problem, 1, at::kCPU);
    const Attended attended = make_attention("tiled", masking_of(problem, at::kCPU))(
        inputs.query.requires_grad_(), inputs.key, inputs.value);
    const std::vector<std::int64_t> rows =
        heads == 0 ? std::vector<std::int64_t>{2, 40} : std::vector<std::int64_t>{2, 3, 40};
    int of_rows = 0;
    for (const at::Tensor& saved : saved_by_tiled(attended.output)) {
      of_rows += saved.sizes().vec() == rows ? 1 : 0;
      EXPECT_TRUE(saved.sizes().vec() == rows || saved.sizes() == inputs.query.sizes());
    }
    EXPECT_EQ(of_rows, 1);
    EXPECT_EQ(saved_by_tiled(attended.output).size(), 5u);
    EXPECT_EQ(attended.log_sum_exp.sizes().vec(), rows);
    EXPECT_FALSE(attended.log_sum_exp.requires_grad());
  }
}

TEST(Tiled, WorksInFp64Too) {
  const Problem problem{
      .batch = 1, .heads = 2, .queries = 300, .keys = 300, .d_head = 8, .causal = Causal::yes};
  Inputs inputs = random_inputs(problem, 1, at::kCPU);
  for (at::Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value, &inputs.d_output})
    *tensor = tensor->to(at::kDouble);
  const Masking masking = masking_of(problem, at::kCPU);
  const Outcome outcome = run("tiled", inputs, masking);
  const reference::Results right = reference::attention(inputs, masking);
  EXPECT_LT(worker::relative_error(outcome.attended.output, right.output), 1e-13);
  EXPECT_LT(worker::relative_error(outcome.d_key, right.d_key), 1e-13);
}

}  // namespace
}  // namespace bench::attention
