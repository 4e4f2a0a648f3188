#include "harness/worker/denormals.hpp"

#include <limits>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

namespace bench::worker {
namespace {

// Large enough to be split over the pool's threads. Counts the products that came out as zero.
std::int64_t flushed_products() {
  const at::Tensor tiny = at::full({1 << 22}, 1e-30f);
  return tiny.mul(1e-10f).eq(0).sum().item<std::int64_t>();
}

TEST(Denormals, AreFlushedOnEveryThreadOfThePoolAndKeptWhereAskedFor) {
  at::set_num_threads(2);
  ASSERT_TRUE(flush_denormals_on_all_threads(true));
  EXPECT_EQ(flushed_products(), 1 << 22);
  {
    const DenormalsKept kept;
    EXPECT_EQ(flushed_products(), 0);
  }
  EXPECT_EQ(flushed_products(), 1 << 22);
  flush_denormals_on_all_threads(false);
}

TEST(Denormals, AreLeftAsTheyWereWhereNobodyFlushedThem) {
  flush_denormals_on_all_threads(false);
  { const DenormalsKept kept; }
  EXPECT_FALSE(denormals_are_flushed());
  EXPECT_EQ(flushed_products(), 0);
}

}  // namespace
}  // namespace bench::worker
