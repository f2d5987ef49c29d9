#include "dpbudget/mechanisms/sums.h"

#include <gtest/gtest.h>

#include <vector>

namespace dpbudget::mechanisms {
namespace {

TEST(Sums, AreThoseOfAllDraws) {
  std::vector<double> draws;
  for (int i = 0; i <= 40; ++i) {
    const Sums sums = sums_of(draws);
    EXPECT_EQ(sums.values, i * (i + 1) / 2) << i;
    EXPECT_EQ(sums.squares, i * (i + 1) * (2 * i + 1) / 6) << i;
    EXPECT_EQ(sum_of_squares(draws), sums.squares) << i;
    draws.push_back(i + 1);
  }
}

// 1 and 2^53 are in partial sums of their own, so that the first does not get lost before the last is taken off.
TEST(Sums, AddEveryEighthDrawFirst) {
  const std::vector<double> draws = {0x1p53, 1, 0, 0, 0, 0, 0, 0, -0x1p53, 0, 0};
  EXPECT_EQ(sums_of(draws).values, 1);
}

}  // namespace
}  // namespace dpbudget::mechanisms
