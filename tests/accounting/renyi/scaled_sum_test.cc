#include "dpbudget/accounting/renyi/scaled_sum.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dpbudget::renyi {
namespace {

TEST(ScaledSum, AddsWhatNoDoubleHolds) {
  ScaledSum sum;
  for (const double term : {-2000.0, -1000.0, -1001.0, -3000.0}) sum.add(term, 1);
  EXPECT_EQ(sum.log_scale(), -1000);
  EXPECT_NEAR(sum.total(), 1 + std::exp(-1), 1e-15);
  EXPECT_NEAR(sum.error(), 1, 1e-15);
}

TEST(ScaledSum, WeighsErrorsByTheirTerms) {
  ScaledSum sum;
  sum.add(std::log(3), 2);
  sum.add(std::log(5), 10);
  EXPECT_NEAR(sum.log_scale() + std::log(sum.total()), std::log(8), 1e-15);
  EXPECT_NEAR(sum.error(), (3.0 * 2 + 5.0 * 10) / 8, 1e-14);
}

// Whichever comes first.
TEST(ScaledSum, LosesOnlyWhatNoRoundingShows) {
  for (const double before : {-0.5, 0.5}) {
    ScaledSum sum;
    const double far = ScaledSum::negligible + before;
    sum.add(-far, 1);
    sum.add(0, 1);
    for (int i = 0; i < 1000; ++i) sum.add(-far, 1);
    EXPECT_NEAR(sum.total(), 1, 1e-39);
  }
}

}  // namespace
}  // namespace dpbudget::renyi
