#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <chrono>

#include "harness/worker/facts.hpp"
#include "harness/worker/tf32_scope.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/gpu.hpp"

namespace bench::worker {
namespace {

class CudaDevice : public support::OnGpu {
 protected:
  static at::TensorOptions on_gpu(at::ScalarType dtype = at::kFloat) {
    return at::TensorOptions(dtype).device(c10::Device(device().name()));
  }
};

TEST(CudaDeviceName, AnotherProgramsDeviceIsAUsageError) {
  EXPECT_EQ(support::error_of(ErrorKind::usage, [] { make_device({.name = "cpu"}); }).substr(0, 14),
            "--device cpu: ");
  support::error_of(ErrorKind::usage, [] { make_device({.name = "cuda:x"}); });
}

TEST_F(CudaDevice, AnIndexBeyondTheLastGpuIsNamed) {
  const std::string sentence =
      support::error_of(ErrorKind::environment, [] { make_device({.name = "cuda:99"}); });
  EXPECT_EQ(sentence.rfind("cuda:99: this machine shows ", 0), 0u) << sentence;
}

TEST_F(CudaDevice, WorkGoesToAStreamThatIsNotTheDefault) {
  EXPECT_NE(c10::cuda::getCurrentCUDAStream(), c10::cuda::getDefaultCUDAStream());
}

TEST_F(CudaDevice, MarksAreTimesOfTheDevicesOwnAndInTheOrderOfItsWork) {
  const at::Tensor a = at::randn({4096, 4096}, on_gpu());
  a.matmul(a);
  device().synchronize();
  device().forget_marks();
  const int first = device().mark();
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) a.matmul(a);
  const int last = device().mark();
  device().synchronize();
  const auto host_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count();
  const std::int64_t device_ns = device().between_ns(first, last);
  // 2.7 TFLOP: 27 ms on a device of 100 TFLOP/s, which none is in fp32. Waiting is part of the host's time.
  EXPECT_GT(device_ns, 5'000'000);
  EXPECT_LE(device_ns, host_ns + 100'000);
}

TEST_F(CudaDevice, HeldBackItIsBusyForAtLeastSoLong) {
  device().synchronize();
  device().forget_marks();
  const int first = device().mark();
  device().hold_back(3'000'000);
  const int last = device().mark();
  EXPECT_FALSE(device().has_passed(last));
  device().synchronize();
  EXPECT_TRUE(device().has_passed(last));
  EXPECT_GE(device().between_ns(first, last), 2'900'000);
}

TEST_F(CudaDevice, KernelsAreNamedWithoutBeingRun) {
  const at::Tensor a = at::ones({64, 64}, on_gpu());
  const at::Tensor warm = a.matmul(a);
  const std::vector<std::string> names = device().kernels_of([&] {
    a.add_(1);
    a.matmul(a);
  });
  EXPECT_GE(names.size(), 2u);
  for (const std::string& name : names) EXPECT_FALSE(name.empty());
  EXPECT_EQ(a.sum().item<float>(), 64 * 64);
}

TEST_F(CudaDevice, MarksAreUsedAgainAfterTheyAreForgotten) {
  for (int sample = 0; sample < 3; ++sample) {
    device().forget_marks();
    EXPECT_EQ(device().mark(), 0);
    EXPECT_EQ(device().mark(), 1);
    device().synchronize();
    EXPECT_GE(device().between_ns(0, 1), 0);
  }
}

TEST_F(CudaDevice, AllocatorStatisticsAreExactAndStartAgain) {
  device().empty_cache();
  const std::int64_t before = device().allocated_bytes();
  device().reset_peak();
  {
    const at::Tensor kept = at::empty({1 << 20}, on_gpu(at::kByte));
    { const at::Tensor gone = at::empty({3 << 20}, on_gpu(at::kByte)); }
    EXPECT_EQ(device().allocated_bytes(), before + (1 << 20));
  }
  const MemoryReport report = device().memory_since_reset();
  EXPECT_EQ(report.before_bytes, before);
  EXPECT_EQ(report.peak_allocated_bytes, before + (4 << 20));
  EXPECT_TRUE(report.peak_by_category.empty());
  device().reset_peak();
  EXPECT_EQ(device().memory_since_reset().peak_allocated_bytes, before);
}

TEST_F(CudaDevice, CountsWhatTheDriverWasAskedForAndNotWhatTheAllocatorKept) {
  device().empty_cache();
  const double before = device().counters().at("device_mallocs");
  for (int i = 0; i < 3; ++i) at::empty({64 << 20}, on_gpu(at::kByte));
  EXPECT_EQ(device().counters().at("device_mallocs") - before, 1);
}

TEST_F(CudaDevice, EvictingLeavesNoTraceInTheStatistics) {
  const std::int64_t before = device().allocated_bytes();
  device().evict_caches();
  device().synchronize();
  EXPECT_EQ(device().allocated_bytes(), before);
}

TEST_F(CudaDevice, ACapturedStepDoesItsWorkAtEachReplayAndNotBefore) {
  const at::Tensor sum = at::full({}, 0.0, on_gpu());
  sum.add_(1);  // the first time, outside
  const auto graph = device().capture([&] { sum.add_(1); });
  device().synchronize();
  EXPECT_EQ(sum.item<float>(), 1);
  for (int i = 0; i < 5; ++i) graph->replay();
  device().synchronize();
  EXPECT_EQ(sum.item<float>(), 6);
}

TEST_F(CudaDevice, RunningOutOfMemoryThrowsWhatFailuresKnowAndLeavesTheDeviceUsable) {
  EXPECT_THROW(at::empty({std::int64_t{1} << 42}, on_gpu(at::kByte)), c10::OutOfMemoryError);
  EXPECT_EQ(device().broken(), "");
  EXPECT_EQ(at::ones({3}, on_gpu()).sum().item<float>(), 3);
}

TEST_F(CudaDevice, Tf32IsOffButInItsScope) {
  EXPECT_FALSE(tf32_allowed());
  EXPECT_FALSE(at::globalContext().allowTF32CuDNN());
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
  const at::Tensor a = at::randn({512, 512}, on_gpu());
  const at::Tensor right = a.to(at::kDouble).matmul(a.to(at::kDouble));
  const auto error = [&] {
    return a.matmul(a).to(at::kDouble).sub(right).norm().div(right.norm()).item<double>();
  };
  EXPECT_LT(error(), 2e-6);
  {
    const Tf32Scope tf32(true);
    EXPECT_TRUE(at::globalContext().allowTF32CuDNN());
    EXPECT_GT(error(), 2e-5);  // inputs rounded to 10 bits
  }
  EXPECT_LT(error(), 2e-6);
}

TEST_F(CudaDevice, HelloNamesTheProgramTheGpuAndTheLibraries) {
  const protocol::Hello hello = make_hello(device(), program_name(), true);
  EXPECT_EQ(hello.program, "bench-worker-cuda");
  EXPECT_EQ(hello.devices, (std::vector<std::string>{"cuda:0"}));
  for (const char* const name : {"gpu", "cuda_runtime", "cuda_driver", "cudnn", "cublas"})
    EXPECT_FALSE(hello.libraries.at(name).empty()) << name;
  EXPECT_EQ(hello.conditions.at("tf32"), "off, but for precision tf32");
  EXPECT_GT(hello.empty_sample_ns, 0);
}

// Last in this file: a worker is given up after it.
TEST_F(CudaDevice, ZzzACaptureThatFailsSaysWhyAndGivesTheWorkerUp) {
  const at::Tensor value = at::ones({}, on_gpu());
  EXPECT_ANY_THROW(device().capture([&] { value.item<float>(); }));  // a copy to the host: not in a graph
  EXPECT_NE(device().broken(), "");
}

}  // namespace
}  // namespace bench::worker
