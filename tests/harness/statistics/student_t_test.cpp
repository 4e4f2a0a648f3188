#include "harness/statistics/student_t.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "harness/core/error.hpp"

namespace bench::statistics {
namespace {

TEST(StudentT, QuantilesAreThoseOfTheTables) {
  struct Row {
    std::int64_t degrees_of_freedom;
    double quantile;
  };
  // scipy.stats.t.ppf(0.975, df) 1.10.
  for (const Row& row : std::vector<Row>{{1, 12.706204736432095},
                                         {2, 4.302652729911275},
                                         {3, 3.182446305284263},
                                         {4, 2.7764451051977987},
                                         {9, 2.2621571627409915},
                                         {30, 2.0422724563012373},
                                         {101, 1.983731002885281},
                                         {1000, 1.9623390808264074},
                                         {9999, 1.9602012636213575}}) {
    EXPECT_NEAR(student_t_95(row.degrees_of_freedom), row.quantile, 1e-9) << row.degrees_of_freedom;
  }
}

TEST(StudentT, SharesAreThoseOfSciPy) {
  EXPECT_NEAR(student_t_within(1.5, 7), 0.8227015130100299, 1e-14);
  EXPECT_NEAR(student_t_within(0.3, 8), 0.22817551831750127, 1e-14);
}

TEST(StudentT, NeedsADegreeOfFreedom) {
  EXPECT_THROW(student_t_95(0), Error);
}

}  // namespace
}  // namespace bench::statistics
