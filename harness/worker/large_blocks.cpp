#include "harness/worker/large_blocks.hpp"

#include <sys/mman.h>

#include <iterator>

namespace bench::worker {
namespace {

constexpr std::size_t kPage = 4096;  // or a multiple of it, where mmap rounds up by itself

std::size_t in_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

void* LargeBlocks::allocate(std::size_t bytes) {
  const std::size_t size = in_pages(bytes);
  if (const auto kept = kept_.find(size); kept != kept_.end()) {
    void* const block = kept->second;
    kept_.erase(kept);
    kept_bytes_ -= size;
    in_use_ += size;
    return block;
  }
  if (limit_ > 0)
    while (in_use_ + kept_bytes_ + size > limit_ && !kept_.empty()) release_largest();
  void* block = MAP_FAILED;
  for (;;) {
    block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block != MAP_FAILED) break;
    if (kept_.empty()) return nullptr;
    release_largest();
  }
  in_use_ += size;
  return block;
}

void LargeBlocks::free(void* block, std::size_t bytes) {
  const std::size_t size = in_pages(bytes);
  in_use_ -= size;
  kept_bytes_ += size;
  kept_.emplace(size, block);
}

void LargeBlocks::release_kept() {
  while (!kept_.empty()) release_largest();
}

// The largest first: the fewest calls, and few sizes to be faulted in again.
void LargeBlocks::release_largest() {
  const auto largest = std::prev(kept_.end());
  munmap(largest->second, largest->first);
  kept_bytes_ -= largest->first;
  kept_.erase(largest);
}

}  // namespace bench::worker
