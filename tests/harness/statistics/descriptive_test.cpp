#include "harness/statistics/descriptive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/core/error.hpp"

namespace bench::statistics {
namespace {

// Expected values: NumPy 2.4 (numpy.quantile, mean, std with ddof=1), unless worked out by hand.
const std::vector<double> kSeries = {41.2, 40.9, 43.7, 40.8, 41.0, 58.3, 41.1, 40.7, 42.2, 41.4};

TEST(Quantile, IsLinearBetweenNeighboursAsNumPyHasIt) {
  EXPECT_DOUBLE_EQ(quantile(kSeries, 0.1), 40.79);
  EXPECT_DOUBLE_EQ(quantile(kSeries, 0.25), 40.925);
  EXPECT_DOUBLE_EQ(quantile(kSeries, 0.75), 42.0);
  EXPECT_DOUBLE_EQ(quantile(kSeries, 0.9), 45.16);
}

TEST(Quantile, ZeroAndOneAreTheExtremes) {
  EXPECT_EQ(quantile(kSeries, 0), 40.7);
  EXPECT_EQ(quantile(kSeries, 1), 58.3);
}

TEST(Quantile, OfASingleValueIsThatValue) {
  const std::vector<double> one = {7.5};
  for (double q : {0.0, 0.1, 0.5, 1.0}) EXPECT_EQ(quantile(one, q), 7.5);
}

TEST(Quantile, OutsideZeroToOneIsABugOfTheCaller) {
  EXPECT_THROW(quantile(kSeries, 1.01), Error);
  EXPECT_THROW(quantile(kSeries, -0.01), Error);
  EXPECT_THROW(quantile(kSeries, std::numeric_limits<double>::quiet_NaN()), Error);
}

TEST(Median, IsTheMiddleOfAnOddNumberAndTheMeanOfTheTwoMiddleOnesOfAnEvenNumber) {
  EXPECT_EQ(median(std::vector<double>{9, 1, 5}), 5);
  EXPECT_EQ(median(std::vector<double>{9, 1, 5, 6}), 5.5);
  EXPECT_DOUBLE_EQ(median(kSeries), 41.15);
}

TEST(Mean, AgreesWithNumPy) {
  EXPECT_DOUBLE_EQ(mean(kSeries), 43.13);
}

TEST(Mean, OfEqualValuesIsExactlyThatValue) {
  EXPECT_EQ(mean(std::vector<double>(1000, 0.1)), 0.1);  // a plain sum gives 0.09999999999999987
}

TEST(StandardDeviation, DividesByOneLessThanTheCount) {
  EXPECT_NEAR(*standard_deviation(kSeries), 5.4057685238394475, 1e-12);
  EXPECT_DOUBLE_EQ(*standard_deviation(std::vector<double>{1, 3}), std::sqrt(2.0));
}

TEST(StandardDeviation, IsNotDefinedForASingleValue) {
  EXPECT_FALSE(standard_deviation(std::vector<double>{4}).has_value());
}

TEST(StandardDeviation, KeepsItsDigitsBesideALargeOffset) {
  const std::vector<double> values = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};  // textbook case: variance 30
  EXPECT_DOUBLE_EQ(*standard_deviation(values), std::sqrt(30.0));
}

TEST(Lag1Autocorrelation, IsSevenTenthsForOneToTen) {
  // By hand: the numerator is 57.75, the denominator 82.5.
  EXPECT_DOUBLE_EQ(*lag1_autocorrelation(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 0.7);
}

TEST(Lag1Autocorrelation, IsNearMinusOneForAnAlternatingSeries) {
  EXPECT_DOUBLE_EQ(*lag1_autocorrelation(std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}), -0.9);
}

TEST(Lag1Autocorrelation, DependsOnTheOrderAndAgreesWithNumPy) {
  EXPECT_NEAR(*lag1_autocorrelation(kSeries), -0.18113201090490166, 1e-12);
}

TEST(Lag1Autocorrelation, IsNotDefinedForEqualValues) {
  EXPECT_FALSE(lag1_autocorrelation(std::vector<double>(10, 0.1)).has_value());
  EXPECT_FALSE(lag1_autocorrelation(std::vector<double>{3}).has_value());
}

TEST(Descriptive, NoValuesAndValuesThatAreNotFiniteAreBugsOfTheCaller) {
  const std::vector<double> none;
  EXPECT_THROW(median(none), Error);
  EXPECT_THROW(mean(none), Error);
  EXPECT_THROW(standard_deviation(none), Error);
  EXPECT_THROW(lag1_autocorrelation(none), Error);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(median(std::vector<double>{1, bad, 2}), Error);
    EXPECT_THROW(mean(std::vector<double>{1, bad, 2}), Error);
  }
}

}  // namespace
}  // namespace bench::statistics
