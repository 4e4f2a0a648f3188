#include "kernels/shared_memory/sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace bench::shared_memory {
namespace {

template <class T>
std::vector<T> sum_of(Element element, const std::vector<std::vector<T>>& values) {
  std::vector<const std::byte*> sources;
  for (const std::vector<T>& of_rank : values)
    sources.push_back(reinterpret_cast<const std::byte*>(of_rank.data()));
  std::vector<T> out(values[0].size());
  sum(element, sources, reinterpret_cast<std::byte*>(out.data()), out.size() * sizeof(T));
  return out;
}

std::uint16_t bf16(float exact) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(exact) >> 16);
}

TEST(Sum, AddsEveryElementOfEverySourceBeyondOneTile) {
  std::vector<std::vector<double>> values(3, std::vector<double>(2500));
  for (std::size_t i = 0; i < 2500; ++i)
    for (std::size_t rank = 0; rank < 3; ++rank) values[rank][i] = double(1000 * rank + i);
  const std::vector<double> out = sum_of(Element::fp64, values);
  for (std::size_t i = 0; i < 2500; ++i) ASSERT_EQ(out[i], 3000 + 3 * double(i)) << i;
}

TEST(Sum, GoesInTheOrderOfTheSources) {
  EXPECT_EQ(sum_of<float>(Element::fp32, {{1e8f}, {-1e8f}, {1.0f}})[0], 1.0f);
  EXPECT_EQ(sum_of<float>(Element::fp32, {{1.0f}, {1e8f}, {-1e8f}})[0], 0.0f);
}

TEST(Sum, OfIntegersWrapsAround) {
  constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(sum_of<std::int32_t>(Element::int32, {{kLargest}, {1}})[0],
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(sum_of<std::int64_t>(Element::int64, {{(1LL << 53) + 1}, {-2}})[0], (1LL << 53) - 1);
}

TEST(Sum, OfBf16IsRoundedOnceToTheNearestAndTiesToEven) {
  // bf16 has 8 significant bits: 256 + 1 is a tie that goes to 256, 258 + 1 one that goes to 260.
  EXPECT_EQ(sum_of<std::uint16_t>(Element::bf16, {{bf16(256)}, {bf16(1)}})[0], bf16(256));
  EXPECT_EQ(sum_of<std::uint16_t>(Element::bf16, {{bf16(258)}, {bf16(1)}})[0], bf16(260));
  // Rounded after each addition it would stay at 256.
  EXPECT_EQ(sum_of<std::uint16_t>(Element::bf16, {{bf16(256)}, {bf16(1)}, {bf16(1)}})[0], bf16(258));
}

TEST(Sum, OfBf16KeepsInfinitiesAndNaNsApart) {
  const std::uint16_t infinity = 0x7F80, all_ones_nan = 0x7FFF;
  EXPECT_EQ(sum_of<std::uint16_t>(Element::bf16, {{infinity}, {bf16(1)}})[0], infinity);
  const std::uint16_t nan = sum_of<std::uint16_t>(Element::bf16, {{all_ones_nan}, {bf16(1)}})[0];
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(std::uint32_t{nan} << 16)));
}

TEST(Sum, MayWriteOverOneOfItsSources) {
  std::vector<float> a(3000, 1), b(3000, 2);
  const std::byte* const sources[] = {reinterpret_cast<std::byte*>(a.data()),
                                      reinterpret_cast<std::byte*>(b.data())};
  sum(Element::fp32, sources, reinterpret_cast<std::byte*>(b.data()), 3000 * sizeof(float));
  EXPECT_EQ(b, std::vector<float>(3000, 3));
}

}  // namespace
}  // namespace bench::shared_memory
