#pragma once

#include <cstddef>
#include <map>

// Memory of large tensors on the CPU: mapped from the system, and kept when freed, for the next block of that
// size.
//
// In the heap they fragment it: in training steps of a model whose tensors took 16.8 GiB it grew past 22,
// where the limit refused, or the kernel killed. Mapped anew each time, every page would be faulted in again
// in the measured step.
namespace bench::worker {

// Not thread-safe: its owner locks.
class LargeBlocks {
 public:
  // Below this the heap serves: what it wastes there is little, and a mapping costs whole pages.
  static constexpr std::size_t kSmallest = std::size_t{1} << 20;

  // The most bytes that blocks in use and kept ones take together, 0: as many as the system gives. Kept ones
  // make way; what is in use is the caller's to bound.
  void limit(std::size_t bytes) { limit_ = bytes; }

  // Page-aligned, of unspecified content. nullptr: the system refuses.
  void* allocate(std::size_t bytes);
  // `bytes` as they were asked for.
  void free(void* block, std::size_t bytes);
  void release_kept();

  std::size_t in_use_bytes() const { return in_use_; }
  std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  void release_largest();

  std::size_t limit_ = 0;
  std::size_t in_use_ = 0;
  std::size_t kept_bytes_ = 0;
  std::multimap<std::size_t, void*> kept_;  // by size
};

}  // namespace bench::worker
