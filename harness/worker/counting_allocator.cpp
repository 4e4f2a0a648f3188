#include "harness/worker/counting_allocator.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <limits>
#include <mutex>

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include "harness/core/units.hpp"
#include "harness/worker/large_blocks.hpp"

namespace bench::worker {
namespace {

// Stands before every block. 64 bytes keep the data on the cache-line boundary that LibTorch's kernels
// expect.
struct alignas(64) Header {
  std::int64_t size;
  AllocationCategory category;
};
static_assert(sizeof(Header) == 64);

struct Books {
  std::mutex mutex;             // uncontended in practice, and 20 ns against a tensor's 400
  std::int64_t budget = 0;      // the machine's
  std::int64_t case_limit = 0;  // the person's
  bool limit_lifted = false;
  std::int64_t total = 0;
  std::int64_t peak = 0;
  std::array<std::int64_t, kAllocationCategories> by_category{};
  std::array<std::int64_t, kAllocationCategories> by_category_at_peak{};
  LargeBlocks large;
};

Books& books() {
  static Books* const instance = new Books;  // never destroyed: tensors in statics are freed after main
  return *instance;
}

std::atomic<AllocationCategory> current_category{AllocationCategory::other};
std::atomic<bool> poisons{false};
constexpr int kNanByte = 0xFF;  // four of them are a NaN in fp32, two in bf16 and fp16

Header* header_of(void* data) {
  return reinterpret_cast<Header*>(static_cast<std::byte*>(data) - sizeof(Header));
}

void take_in(Books& all, AllocationCategory category, std::int64_t size) {
  all.total += size;
  all.by_category[static_cast<std::size_t>(category)] += size;
  if (all.total > all.peak) {
    all.peak = all.total;
    all.by_category_at_peak = all.by_category;
  }
}

bool is_large(std::size_t block_bytes) {
  return block_bytes >= LargeBlocks::kSmallest;
}

std::size_t block_bytes_of(std::int64_t size) {
  return static_cast<std::size_t>(size) + sizeof(Header);
}

void release(void* data) {
  if (data == nullptr) return;
  Header* const header = header_of(data);
  const std::size_t block_bytes = block_bytes_of(header->size);
  {
    Books& all = books();
    const std::lock_guard lock(all.mutex);
    all.total -= header->size;
    all.by_category[static_cast<std::size_t>(header->category)] -= header->size;
    if (is_large(block_bytes)) return all.large.free(header, block_bytes);
  }
  c10::free_cpu(header);
}

// From the heap. What was kept of large blocks makes way where the heap cannot grow beside it.
void* allocate_small(std::size_t bytes) {
  try {
    return c10::alloc_cpu(bytes);
  } catch (const c10::Error&) {
    Books& all = books();
    const std::lock_guard lock(all.mutex);
    if (all.large.kept_bytes() == 0) throw;
    all.large.release_kept();
  }
  return c10::alloc_cpu(bytes);
}

void* allocate_block(std::size_t bytes) {
  if (!is_large(bytes)) return allocate_small(bytes);
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  void* const block = all.large.allocate(bytes);
  TORCH_CHECK_WITH(OutOfMemoryError, block != nullptr, "the system refused ",
                   format_bytes(static_cast<std::int64_t>(bytes)), " with ", format_bytes(all.total),
                   " in use");
  return block;
}

std::int64_t limit_now(const Books& all) {
  std::int64_t limit = all.budget > 0 ? all.budget : std::numeric_limits<std::int64_t>::max();
  if (all.case_limit > 0 && !all.limit_lifted) limit = std::min(limit, all.case_limit);
  return limit;
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &release, cpu};
    const auto size = static_cast<std::int64_t>(bytes);
    const AllocationCategory category = current_category.load(std::memory_order_relaxed);
    Books& all = books();
    AllocationCounts peak_before;
    {
      const std::lock_guard lock(all.mutex);
      peak_before = {all.total, all.peak, all.by_category_at_peak};
      const std::int64_t limit = limit_now(all);
      TORCH_CHECK_WITH(OutOfMemoryError, size >= 0 && size <= limit - all.total, "asked for ",
                       format_bytes(size), " with ", format_bytes(all.total), " of the budget of ",
                       format_bytes(limit), " in use");
      take_in(all, category, size);
    }
    void* block = nullptr;
    try {
      block = allocate_block(block_bytes_of(size));
    } catch (...) {  // rare, and then the peak may have been one that never existed
      const std::lock_guard lock(all.mutex);
      all.total -= size;
      all.by_category[static_cast<std::size_t>(category)] -= size;
      all.peak = std::max(all.total, peak_before.peak_bytes);
      all.by_category_at_peak = peak_before.by_category_at_peak;
      throw;
    }
    auto* const header = new (block) Header{size, category};
    void* const data = reinterpret_cast<std::byte*>(header) + sizeof(Header);
    if (poisons.load(std::memory_order_relaxed)) std::memset(data, kNanByte, bytes);
    return {data, data, &release, cpu};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  void copy_data(void* target, const void* source, std::size_t bytes) const override {
    std::memcpy(target, source, bytes);
  }
};

}  // namespace

const char* to_text(AllocationCategory category) {
  switch (category) {
    case AllocationCategory::parameters:
      return "parameters";
    case AllocationCategory::gradients:
      return "gradients";
    case AllocationCategory::optimizer:
      return "optimizer";
    case AllocationCategory::activations:
      return "activations";
    case AllocationCategory::other:
      break;
  }
  return "other";
}

CategoryScope::CategoryScope(AllocationCategory category)
    : previous_(current_category.exchange(category, std::memory_order_relaxed)) {}

CategoryScope::~CategoryScope() {
  current_category.store(previous_, std::memory_order_relaxed);
}

void retag(const at::Tensor& tensor, AllocationCategory category) {
  if (!tensor.defined() || !tensor.has_storage()) return;
  const c10::DataPtr& data = tensor.storage().data_ptr();
  if (data.get() == nullptr || data.get_deleter() != &release) return;
  Header* const header = header_of(data.get());
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  all.by_category[static_cast<std::size_t>(header->category)] -= header->size;
  all.by_category[static_cast<std::size_t>(category)] += header->size;
  header->category = category;
}

void install_counting_allocator(std::int64_t budget_bytes) {
  static CountingAllocator* const allocator = new CountingAllocator;
  books().budget = budget_bytes;
  books().large.limit(static_cast<std::size_t>(budget_bytes));
  c10::SetCPUAllocator(allocator, /*priority=*/1);
}

void release_freed_memory() {
  {
    Books& all = books();
    const std::lock_guard lock(all.mutex);
    all.large.release_kept();
  }
  malloc_trim(0);
}

void limit_cases(std::int64_t bytes) {
  books().case_limit = bytes;
}

CaseLimitLifted::CaseLimitLifted() {
  books().limit_lifted = true;
}
CaseLimitLifted::~CaseLimitLifted() {
  books().limit_lifted = false;
}

BlocksPoisoned::BlocksPoisoned() {
  poisons = true;
}
BlocksPoisoned::~BlocksPoisoned() {
  poisons = false;
}

AllocationCounts allocation_counts() {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  return {all.total, all.peak, all.by_category_at_peak};
}

void reset_peak_allocated() {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  all.peak = all.total;
  all.by_category_at_peak = all.by_category;
}

}  // namespace bench::worker
