#pragma once

#include <array>
#include <cstdint>

#include "harness/core/result.hpp"
#include "harness/worker/allocation_category.hpp"

// LibTorch's CPU allocator, replaced by one that counts the bytes asked for and refuses to pass a budget.
// Memory numbers of CPU runs come from here: exact, and the same on every machine, which resident-set sizes
// are not.
namespace bench::worker {

// Installs the allocator. Blocks from before are freed by their own deleter and never counted.
// budget_bytes: beyond it an allocation throws c10::OutOfMemoryError, from which a worker recovers; 0: no
// budget.
void install_counting_allocator(std::int64_t budget_bytes);

// Returns to the system what was freed: until then it is kept, so that the next step need not fault it in
// again.
void release_freed_memory();

// A person's own limit for cases (--memory-limit), within the budget; 0: none.
void limit_cases(std::int64_t bytes);

// Lifts the limit, not the budget, for its lifetime: a check holds models in fp64 that the case does not.
class CaseLimitLifted {
 public:
  CaseLimitLifted();
  ~CaseLimitLifted();
  CaseLimitLifted(const CaseLimitLifted&) = delete;
  CaseLimitLifted& operator=(const CaseLimitLifted&) = delete;
};

// Fills every block that is handed out in its lifetime with NaN, whatever the floating-point type: what a
// checked operator forgets to write then shows, instead of being what an earlier call wrote there, which may
// well be right.
class BlocksPoisoned {
 public:
  BlocksPoisoned();
  ~BlocksPoisoned();
  BlocksPoisoned(const BlocksPoisoned&) = delete;
  BlocksPoisoned& operator=(const BlocksPoisoned&) = delete;
};

struct AllocationCounts {
  std::int64_t allocated_bytes = 0;
  std::int64_t peak_bytes = 0;  // since the last reset
  std::array<std::int64_t, kAllocationCategories> by_category_at_peak{};
};
AllocationCounts allocation_counts();
void reset_peak_allocated();

}  // namespace bench::worker
