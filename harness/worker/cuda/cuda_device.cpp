#include "harness/worker/cuda/cuda_device.hpp"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/core/units.hpp"
#include "harness/worker/cuda/check.hpp"
#include "harness/worker/cuda/cuda_libraries.hpp"
#include "harness/worker/cuda/kernel_names.hpp"
#include "harness/worker/tf32_scope.hpp"

namespace bench::worker::cuda {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// The place of a sum over all pools in each of the allocator's statistics.
constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

std::string why_none(cudaError_t status) {
  int driver = 0;
  if (status == cudaSuccess) return "none is visible";
  // "driver version is insufficient" is what CUDA says of no driver, too.
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return "no NVIDIA driver is here";
  return cudaGetErrorString(status);
}

// Before anything of LibTorch's touches CUDA: its own complaints run over many lines.
c10::DeviceIndex usable(int index) {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    throw Error(ErrorKind::environment,
                fmt::format("cuda:{}: no CUDA device can be used here ({}); bench-worker, or --device cpu, "
                            "runs the same cases on the CPU",
                            index, why_none(status)));
  }
  if (index >= count)
    throw Error(ErrorKind::environment, fmt::format("cuda:{}: this machine shows {} GPU{}, counted from 0",
                                                    index, count, count == 1 ? "" : "s"));
  try {
    check(cudaSetDevice(index));
    check(cudaFree(nullptr));                       // makes the context
    at::globalContext().lazyInitDevice(at::kCUDA);  // and LibTorch's allocator
  } catch (const std::exception& error) {
    throw Error(ErrorKind::environment,
                fmt::format("cuda:{} is here but cannot be used: {}", index, error.what()));
  }
  return static_cast<c10::DeviceIndex>(index);
}

// Events in the order of their recording, made once and used again for every sample.
class EventPool {
 public:
  int record(cudaStream_t stream) {
    if (used_ == events_.size()) {
      cudaEvent_t event = nullptr;
      check(cudaEventCreate(&event));
      events_.push_back(event);
    }
    check(cudaEventRecord(events_[used_], stream));
    return static_cast<int>(used_++);
  }

  std::int64_t between_ns(int first, int second) const {
    float ms = 0;  // resolution about 0.5 us
    check(cudaEventElapsedTime(&ms, events_.at(static_cast<std::size_t>(first)),
                               events_.at(static_cast<std::size_t>(second))));
    return std::llround(static_cast<double>(ms) * 1e6);
  }

  bool has_passed(int event) const {
    const cudaError_t status = cudaEventQuery(events_.at(static_cast<std::size_t>(event)));
    if (status == cudaErrorNotReady) return false;
    check(status);
    return true;
  }

  void reuse() { used_ = 0; }

 private:
  std::vector<cudaEvent_t> events_;  // never destroyed: the process ends without its destructors
  std::size_t used_ = 0;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(int index, std::int64_t memory_limit_bytes)
      : index_(usable(index)),
        memory_limit_bytes_(memory_limit_bytes),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, index_)),
        on_stream_(stream_) {
    check(cudaGetDeviceProperties(&properties_, index_));
    check(cudaDeviceGetAttribute(&clock_khz_, cudaDevAttrClockRate, index_));
    allow_tf32(false);
    at::globalContext().setBenchmarkCuDNN(false);
    if (memory_limit_bytes > 0) {
      const double share =
          static_cast<double>(memory_limit_bytes) / static_cast<double>(properties_.totalGlobalMem);
      allocator::setMemoryFraction(std::min(1.0, share), index_);
    }
  }

  std::string name() const override { return fmt::format("cuda:{}", static_cast<int>(index_)); }
  void synchronize() override { check(cudaDeviceSynchronize()); }

  int mark() override { return events_.record(stream_.stream()); }
  std::int64_t between_ns(int first, int second) override { return events_.between_ns(first, second); }
  void forget_marks() override { events_.reuse(); }
  bool has_own_clock() const override { return true; }
  void hold_back(std::int64_t ns) override { at::cuda::sleep(ns * clock_khz_ / 1'000'000); }
  bool has_passed(int mark) override { return events_.has_passed(mark); }

  void start_profiler() override { check(cudaProfilerStart()); }
  void stop_profiler() override { check(cudaProfilerStop()); }

  std::int64_t allocated_bytes() override {
    return allocator::getDeviceStats(index_).allocated_bytes[kAll].current;
  }
  void reset_peak() override {
    allocator::resetPeakStats(index_);
    before_bytes_ = allocated_bytes();
  }
  MemoryReport memory_since_reset() override {
    return {.before_bytes = before_bytes_,
            .peak_allocated_bytes = allocator::getDeviceStats(index_).allocated_bytes[kAll].peak,
            .peak_by_category = {}};
  }

  std::map<std::string, double> counters() override {
    return {{"device_mallocs", static_cast<double>(allocator::getDeviceStats(index_).num_device_alloc)}};
  }

  void empty_cache() override {
    synchronize();
    // cuBLAS's workspaces are the case's too, but a graph that is alive was captured with their addresses.
    if (graphs_alive_ == 0) at::cuda::clearCublasWorkspaces();
    allocator::emptyCache();
  }

  void evict_caches() override {
    // Not from LibTorch's allocator, whose statistics are the case's alone.
    const std::size_t bytes = 3 * static_cast<std::size_t>(std::max(properties_.l2CacheSize, 1 << 20));
    if (eviction_ == nullptr) check(cudaMalloc(&eviction_, bytes));
    check(cudaMemsetAsync(eviction_, 0, bytes, stream_.stream()));
  }

  std::unique_ptr<CapturedStep> capture(const std::function<void()>& work) override {
    synchronize();
    auto captured = std::make_unique<Graph>(*this);
    try {
      captured->record(work);
    } catch (...) {
      // The stream may still be capturing and the allocator still fill the graph's pool: nobody can undo
      // both.
      capture_failed_ = true;
      throw;
    }
    return captured;
  }

  // Recorded as a graph that is read and thrown away.
  std::vector<std::string> kernels_of(const std::function<void()>& work) override {
    synchronize();
    allocator::emptyCache();  // a capture takes its memory from a pool of its own
    at::cuda::CUDAGraph graph(/*keep_graph=*/true);
    graph.capture_begin();
    try {
      work();
      graph.capture_end();
    } catch (...) {
      capture_failed_ = true;  // as in capture()
      throw;
    }
    return kernel_names(graph.raw_cuda_graph());
  }

  std::string broken() override {
    if (capture_failed_) return "after a capture that failed the worker is replaced";
    // An error that sticks to the context (an illegal address, an assertion, a failed launch) comes back from
    // every call; any other is forgotten with this.
    static_cast<void>(cudaGetLastError());
    const cudaError_t status = cudaDeviceSynchronize();
    if (status == cudaSuccess) return {};
    return fmt::format("the CUDA context is lost, {}: the worker is replaced", cudaGetErrorName(status));
  }

  void describe(std::map<std::string, std::string>& libraries,
                std::map<std::string, std::string>& conditions) const override {
    libraries.merge(library_versions());
    libraries["gpu"] = fmt::format("{}, {} SMs, compute capability {}.{}, {}, L2 {}", properties_.name,
                                   properties_.multiProcessorCount, properties_.major, properties_.minor,
                                   format_bytes(static_cast<std::int64_t>(properties_.totalGlobalMem)),
                                   format_bytes(properties_.l2CacheSize));
    conditions["allocator"] =
        memory_limit_bytes_ > 0 ? "CUDA caching allocator, with a limit" : "CUDA caching allocator";
    conditions["tf32"] = tf32_allowed() ? "on" : "off, but for precision tf32";
    conditions["cudnn_benchmark"] = at::globalContext().benchmarkCuDNN() ? "on" : "off";
    conditions["stream"] = "one of LibTorch's pool, not the default";
  }

 private:
  class Graph final : public CapturedStep {
   public:
    explicit Graph(CudaDevice& device) : device_(device) { ++device_.graphs_alive_; }
    ~Graph() override { --device_.graphs_alive_; }

    void record(const std::function<void()>& work) {
      graph_.capture_begin();  // on this thread's current stream, which is the device's
      std::exception_ptr failure;
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      try {
        graph_.capture_end();
      } catch (...) {
        // What invalidated the capture says more than that it was invalid.
        if (!failure) failure = std::current_exception();
      }
      if (failure) std::rethrow_exception(failure);
    }
    void replay() override { graph_.replay(); }

   private:
    CudaDevice& device_;
    at::cuda::CUDAGraph graph_;
  };

  c10::DeviceIndex index_;
  std::int64_t memory_limit_bytes_;
  cudaDeviceProp properties_{};
  int clock_khz_ = 0;  // the highest: a delay in cycles is at least as long as asked for
  c10::cuda::CUDAStream stream_;
  c10::cuda::CUDAStreamGuard on_stream_;
  EventPool events_;
  std::int64_t before_bytes_ = 0;
  void* eviction_ = nullptr;
  int graphs_alive_ = 0;
  bool capture_failed_ = false;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(int index, std::int64_t memory_limit_bytes) {
  return std::make_unique<CudaDevice>(index, memory_limit_bytes);
}

}  // namespace bench::worker::cuda
