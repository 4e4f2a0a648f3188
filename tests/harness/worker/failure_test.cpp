#include "harness/worker/failure.hpp"
#include "harness/worker/workload.hpp"

#include <new>
#include <stdexcept>

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace bench::worker {
namespace {

template <class Action>
Failure failure_of(Action action) {
  try {
    action();
  } catch (...) {
    return describe_failure(std::current_exception(), "samples");
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(DescribeFailure, LibTorchsComplaintIsItsFirstLineWithThePhase) {
  const Failure failure = failure_of([] { at::ones({2, 3}).matmul(at::ones({4, 5})); });
  EXPECT_EQ(failure.status, Status::failed);
  EXPECT_EQ(failure.reason, "samples: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
}

TEST(DescribeFailure, EveryWayOfRunningOutOfMemoryIsOne) {
  EXPECT_EQ(failure_of([] { throw std::bad_alloc(); }).status, Status::out_of_memory);
  // More than any machine has: the system's own refusal, not the budget's.
  EXPECT_EQ(failure_of([] { at::ones({std::int64_t{1} << 50}, at::kByte); }).status, Status::out_of_memory);
}

TEST(DescribeFailure, WhatALibraryRefusesIsSkippedWithItsReason) {
  const Failure failure = failure_of([] { throw Unsupported("LibTorch refuses: d_head 300"); });
  EXPECT_EQ(failure.status, Status::skipped);
  EXPECT_EQ(failure.reason, "LibTorch refuses: d_head 300");
}

TEST(DescribeFailure, AnythingElseThatIsThrownFailsTheCase) {
  EXPECT_EQ(failure_of([] { throw std::runtime_error("no luck\nat all"); }).reason, "samples: no luck");
  EXPECT_EQ(failure_of([] { throw 42; }).status, Status::failed);
}

}  // namespace
}  // namespace bench::worker
