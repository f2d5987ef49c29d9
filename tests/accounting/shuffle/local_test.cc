#include "dpbudget/accounting/shuffle/local.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/random_event.h"
#include "accounting/shuffle/third_values.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/shuffle/clones/sign_tail.h"
#include "mechanisms/refused.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::third_values_log_delta;

// The truth is rounded to a double.
bool is_within(const numeric::Bracket& found, double truth) {
  const double rounding = 0x1p-52 * (1 + std::abs(truth));
  return found.lower <= truth + rounding && truth <= found.upper + rounding;
}

RC_GTEST_PROP(ThirdValues, BracketsHoldTheSumOverEveryOutcome, ()) {
  const double local_epsilon = log_uniform(0.01, 40);
  const auto categories = static_cast<std::uint64_t>(log_uniform(3, 1e6));
  const int reports = *rc::gen::inRange(1, 9);
  const double epsilon = local_epsilon * (1 - log_uniform(1e-9, 1));
  const double truth = third_values_log_delta(local_epsilon, categories, reports, epsilon);
  RC_ASSERT(is_within(log_delta(third_value_pair(local_epsilon, categories, reports), epsilon), truth));
}

// Levels that are 1 but for rounding.
TEST(ThirdValues, BracketsHoldNextToTheLocalEpsilon) {
  const auto expect_within = [](double local_epsilon, std::uint64_t categories, int reports, double epsilon) {
    const double truth = third_values_log_delta(local_epsilon, categories, reports, epsilon);
    const numeric::Bracket found = log_delta(third_value_pair(local_epsilon, categories, reports), epsilon);
    EXPECT_TRUE(is_within(found, truth)) << found.lower << ' ' << truth << ' ' << found.upper;
    EXPECT_LE(found.upper - found.lower, 1e-10);
  };
  expect_within(33.75774043560592, 3, 1, 33.75774020051849);
  expect_within(33.75774340559592, 3, 1, 33.75774020051849);
  expect_within(19.52970372514799, 3, 6, 19.529700027198622);
}

// A level within its error of 1 is on either side of it.
TEST(ThirdValues, ATailOfALevelNextToOneIsBounded) {
  const numeric::Bracket found = log_sign_tail(3, {1, 0, 1e-15}, 0x1p-56);
  EXPECT_EQ(found.lower, -infinity);
  EXPECT_NEAR(found.upper, std::log(1e-15 / 8), 1);
  const numeric::Bracket none = log_sign_tail(3, {1, 0, 0}, 0x1p-56);
  EXPECT_EQ(none.upper, -infinity);
}

TEST(LocalRandomizers, AreKnownToBePureOrNot) {
  EXPECT_EQ(randomizer_epsilon(RandomizedResponse{2, 5}), 2);
  EXPECT_EQ(randomizer_epsilon(ApproximateDp{1.5, 0}), 1.5);
  EXPECT_EQ(randomizer_epsilon(ApproximateDp{1.5, 1e-9}), infinity);
  EXPECT_EQ(randomizer_epsilon(Gaussian{1}), infinity);
  EXPECT_EQ(randomizer_epsilon(Shuffled{5, Event(RandomizedResponse{1})}), 1);
}

TEST(ThirdValues, RefuseBadInputByName) {
  for (const double bad : {0.0, -1.0, 650.1, 1000.0, infinity, std::nan("")})
    EXPECT_REFUSED("local_epsilon", third_value_pair(bad, 3, 10));
  EXPECT_REFUSED("categories", third_value_pair(1, 2, 10));
  for (const double bad : {0.0, 1.5, infinity}) EXPECT_REFUSED("reports", third_value_pair(1, 3, bad));
}

}  // namespace
}  // namespace dpbudget::shuffle
