#include "harness/worker/cpu_device.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <ATen/Parallel.h>

#include "harness/machine/caches.hpp"
#include "harness/worker/counting_allocator.hpp"
#include "harness/worker/monotonic_clock.hpp"

namespace bench::worker {
namespace {

// How much each thread of the pool writes so that neither its core's own caches nor the shared one keep
// anything of the sample before: together more than twice the last level, each more than twice its private
// levels.
std::size_t eviction_bytes_a_thread(int threads) {
  constexpr std::int64_t kUnknown = std::int64_t{64} << 20;  // larger than most
  const machine::CacheSizes sizes = machine::read_cache_sizes();
  const std::int64_t last_level = sizes.last_level_bytes > 0 ? sizes.last_level_bytes : kUnknown;
  const std::int64_t bytes = std::max(2 * last_level / threads, 2 * sizes.private_bytes);
  return static_cast<std::size_t>(bytes) + (std::size_t{1} << 20);
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(std::int64_t budget_bytes) : budget_bytes_(budget_bytes) {}

  std::string name() const override { return "cpu"; }
  void synchronize() override {}

  int mark() override {
    marks_.push_back(monotonic_ns());
    return static_cast<int>(marks_.size()) - 1;
  }
  std::int64_t between_ns(int first, int second) override {
    return marks_[static_cast<std::size_t>(second)] - marks_[static_cast<std::size_t>(first)];
  }
  void forget_marks() override { marks_.clear(); }

  std::int64_t allocated_bytes() override { return allocation_counts().allocated_bytes; }

  void reset_peak() override {
    reset_peak_allocated();
    before_bytes_ = allocated_bytes();
  }

  MemoryReport memory_since_reset() override {
    const AllocationCounts counts = allocation_counts();
    MemoryReport report{.before_bytes = before_bytes_, .peak_allocated_bytes = counts.peak_bytes};
    for (int i = 0; i < kAllocationCategories; ++i)
      if (const std::int64_t bytes = counts.by_category_at_peak[static_cast<std::size_t>(i)]; bytes != 0)
        report.peak_by_category.emplace_back(to_text(static_cast<AllocationCategory>(i)), bytes);
    return report;
  }

  void empty_cache() override { release_freed_memory(); }

  void evict_caches() override {
    const int threads = at::get_num_threads();
    const std::size_t share = eviction_bytes_a_thread(threads);
    eviction_.resize(share * static_cast<std::size_t>(threads));
    // One share a thread: this file is compiled with -fopenmp, without which parallel_for would run here
    // alone.
    at::parallel_for(0, threads, 1, [&](std::int64_t first, std::int64_t last) {
      constexpr std::size_t kLine = 64;
      char* const begin = eviction_.data() + static_cast<std::size_t>(first) * share;
      char* const end = eviction_.data() + static_cast<std::size_t>(last) * share;
      for (char* line = begin; line < end; line += kLine) *line = static_cast<char>(*line + 1);
    });
    asm volatile("" : : "r"(eviction_.data()) : "memory");
  }

  void describe(std::map<std::string, std::string>&,
                std::map<std::string, std::string>& conditions) const override {
    conditions["allocator"] = budget_bytes_ > 0 ? "counting, with a budget" : "counting, without a budget";
  }

 private:
  std::int64_t budget_bytes_;
  std::vector<std::int64_t> marks_;
  std::int64_t before_bytes_ = 0;
  std::vector<char> eviction_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(std::int64_t budget_bytes) {
  return std::make_unique<CpuDevice>(budget_bytes);
}

}  // namespace bench::worker
