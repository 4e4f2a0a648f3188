#include "harness/worker/large_blocks.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstring>

#include <gtest/gtest.h>

namespace bench::worker {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

bool is_mapped(void* block) {
  unsigned char resident = 0;
  return mincore(block, 1, &resident) == 0;
}

TEST(LargeBlocks, AFreedBlockServesTheNextOfItsSize) {
  LargeBlocks blocks;
  void* const first = blocks.allocate(3 * kMiB + 1);
  std::memset(first, 7, 3 * kMiB + 1);
  blocks.free(first, 3 * kMiB + 1);
  EXPECT_EQ(blocks.in_use_bytes(), 0u);
  EXPECT_EQ(blocks.kept_bytes(), 3 * kMiB + 4096);
  void* const other = blocks.allocate(2 * kMiB);
  EXPECT_NE(other, first);
  EXPECT_EQ(blocks.allocate(3 * kMiB + 2), first);  // the same pages
  EXPECT_EQ(blocks.in_use_bytes(), 5 * kMiB + 4096);
  EXPECT_EQ(blocks.kept_bytes(), 0u);
  blocks.free(first, 3 * kMiB + 2);
  blocks.free(other, 2 * kMiB);
  blocks.release_kept();
  EXPECT_EQ(blocks.kept_bytes(), 0u);
  EXPECT_FALSE(is_mapped(first));
  EXPECT_FALSE(is_mapped(other));
}

TEST(LargeBlocks, KeptBlocksMakeWayAtTheLimit) {
  LargeBlocks blocks;
  blocks.limit(10 * kMiB);
  void* const two = blocks.allocate(2 * kMiB);
  void* const four = blocks.allocate(4 * kMiB);
  blocks.free(two, 2 * kMiB);
  blocks.free(four, 4 * kMiB);
  void* const seven = blocks.allocate(7 * kMiB);  // 2 + 4 + 7 are too many: the 4 go
  EXPECT_EQ(blocks.kept_bytes(), 2 * kMiB);
  EXPECT_EQ(blocks.allocate(2 * kMiB), two);
  blocks.free(two, 2 * kMiB);
  blocks.free(seven, 7 * kMiB);
  void* const ten = blocks.allocate(10 * kMiB);  // all go
  EXPECT_EQ(blocks.kept_bytes(), 0u);
  EXPECT_EQ(blocks.in_use_bytes(), 10 * kMiB);
  blocks.free(ten, 10 * kMiB);
  blocks.release_kept();
}

TEST(LargeBlocks, KeptBlocksMakeWayWhereTheSystemRefuses) {
  LargeBlocks blocks;
  blocks.free(blocks.allocate(64 * kMiB), 64 * kMiB);
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit tight = before;
  tight.rlim_cur = 1;  // nothing new can be mapped
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  void* const refused = blocks.allocate(65 * kMiB);
  const std::size_t kept = blocks.kept_bytes();
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(refused, nullptr);
  EXPECT_EQ(kept, 0u);
  EXPECT_EQ(blocks.in_use_bytes(), 0u);
}

}  // namespace
}  // namespace bench::worker
