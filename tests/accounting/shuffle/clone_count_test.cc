#include "dpbudget/accounting/shuffle/clone_count.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

double one_by_one(double) { return 1; }

RC_GTEST_PROP(CloneCount, BlocksHoldAllOfTheLaw, ()) {
  const double others = std::floor(log_uniform(1, 1e4));
  const CloneCount count(others, std::log(log_uniform(1e-3, 1e3)));
  const double share = log_uniform(1e-4, 0.1);
  const CloneBlocks found = clone_blocks(count, [&](double m) { return share * m; }, log_uniform(1e-30, 1e-3));
  double sum = 0;
  double last = found.blocks.front().first - 1;
  for (const CloneBlock& block : found.blocks) {
    RC_ASSERT(block.first == last + 1);
    RC_ASSERT(block.last >= block.first);
    last = block.last;
    sum += block.mass;
  }
  RC_ASSERT(sum <= 1 + found.error + 1e-13);
  RC_ASSERT(sum + found.below + found.above >= 1 - found.error - 1e-13);
  RC_ASSERT((found.below > 0) == (found.blocks.front().first > 0));
  RC_ASSERT((found.above > 0) == (last < others));
}

TEST(CloneCount, MassesBelowEveryDoubleAreNotNothing) {
  // Of a million fair coins, 600,000 heads are as good as impossible, and not quite.
  const CloneBlocks found = clone_blocks(CloneCount(1e6, 0), one_by_one, 0);
  ASSERT_GT(found.blocks.front().first, 0);
  ASSERT_LT(found.blocks.back().last, 1e6);
  EXPECT_GT(found.below, 0);
  EXPECT_GT(found.above, 0);
  EXPECT_LT(found.below + found.above, 1e-300);
}

RC_GTEST_PROP(CloneCount, MeansHoldTheSum, ()) {
  const double others = std::floor(log_uniform(1, 2000));
  const CloneCount count(others, std::log(log_uniform(1e-2, 1e2)));
  const double rate = log_uniform(1e-4, 1);
  const auto f = [&](double m) { return LogBracket{-rate * m, -rate * m}; };
  double sum = 0;
  for (double c = 0; c <= others; ++c) sum += std::exp(count.log_mass(c).middle() - rate * (c + 1) + rate * others);
  const double truth = std::log(sum) - rate * others;
  const double share = log_uniform(1e-6, 0.1);
  const LogBracket found = log_mean(count, f, [&](double m) { return share * m; }, 1e-10);
  const double slack = 1e-11 * (1 + std::abs(truth));
  RC_ASSERT(found.lower <= truth + slack);
  RC_ASSERT(found.upper >= truth - slack);
}

}  // namespace
}  // namespace dpbudget::shuffle
