#include "harness/statistics/outliers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bench::statistics {
namespace {

TEST(Outliers, AreTheIndicesBeyondTukeysFences) {
  // Quartiles 40.925 and 42.0: fences 39.3125 and 43.6125.
  const std::vector<double> values = {41.2, 40.9, 43.7, 40.8, 41.0, 58.3, 41.1, 40.7, 42.2, 41.4};
  EXPECT_EQ(outliers(values), (std::vector<std::size_t>{2, 5}));
}

TEST(Outliers, AreFoundBelowAsWellAsAbove) {
  EXPECT_EQ(outliers(std::vector<double>{10, 11, 12, 13, 14, -9, 12, 30}), (std::vector<std::size_t>{5, 7}));
}

TEST(Outliers, AValueOnTheFenceIsNone) {
  // Quartiles 1 and 3 of {0..4}; with 6 in place of 4 the fence is exactly 6.
  EXPECT_TRUE(outliers(std::vector<double>{0, 1, 2, 3, 6}).empty());
  EXPECT_EQ(outliers(std::vector<double>{0, 1, 2, 3, 6.001}), (std::vector<std::size_t>{4}));
}

TEST(Outliers, AmongEqualValuesAnyOtherValueIsOne) {
  EXPECT_TRUE(outliers(std::vector<double>(10, 0.1)).empty());
  EXPECT_EQ(outliers(std::vector<double>{1, 1, 1, 2, 1, 1}), (std::vector<std::size_t>{3}));
}

TEST(Outliers, OfNoneOrOneOrTwoValuesThereAreNone) {
  EXPECT_TRUE(outliers(std::vector<double>{}).empty());
  EXPECT_TRUE(outliers(std::vector<double>{1}).empty());
  EXPECT_TRUE(outliers(std::vector<double>{1, 1000}).empty());
}

}  // namespace
}  // namespace bench::statistics
