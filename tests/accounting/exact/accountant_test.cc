#include "dpbudget/accounting/exact/accountant.h"

#include <gtest/gtest.h>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::exact {
namespace {

TEST(ExactAccountant, CountsRepetitionsOfGaussians) {
  const Accountant once(parse_plan("2 x gaussian(3) + gaussian(5)"));
  const Accountant all(parse_plan("100 x (2 x gaussian(3) + gaussian(5))"));
  EXPECT_EQ(once.epsilon(100, 1e-6).upper, all.epsilon(1, 1e-6).upper);
  EXPECT_EQ(once.delta(100, 4).log_upper, all.delta(1, 4).log_upper);
  EXPECT_EQ(once.epsilon(0, 1e-6).upper, 0);
  EXPECT_EQ(once.epsilon(1, 1e-6).accountant, "exact");
}

// Whoever asks need ask nobody else for a better upper end of the same pair.
TEST(ExactAccountant, SaysWhatItHasResolved) {
  EXPECT_TRUE(Accountant(parse_plan("gaussian(3)")).epsilon(1, 1e-6).is_resolved);
  EXPECT_TRUE(Accountant(parse_plan("gaussian(3)")).delta(1, 1).bound.is_resolved);
  const Accountant shuffle(parse_plan("shuffle(5, rr(1.8))"));
  EXPECT_TRUE(shuffle.epsilon(1, 0.1).is_resolved);
  EXPECT_TRUE(shuffle.delta(1, 0.3).bound.is_resolved);
  EXPECT_FALSE(shuffle.epsilon(3, 0.1).is_resolved);
  EXPECT_FALSE(shuffle.delta(3, 0.3).bound.is_resolved);
}

TEST(ExactAccountant, TakesShuffledReportsOnce) {
  const Accountant once(parse_plan("1 x shuffle(100, rr(1)) under replace_one"));
  EXPECT_GT(once.epsilon(1, 1e-6).lower, 0);
  EXPECT_GT(once.delta(1, 0.1).bound.lower, 0);
  EXPECT_EQ(once.epsilon(0, 1e-6).upper, 0);
  EXPECT_THROW(once.epsilon(2, 1e-6), Unsupported);
  EXPECT_THROW(once.delta(2, 0.1), Unsupported);
}

TEST(ExactAccountant, TakesFewReportsMoreThanOnce) {
  const Accountant once(parse_plan("shuffle(5, rr(1.8))"));
  const Accountant all(parse_plan("3 x shuffle(5, rr(1.8))"));
  EXPECT_EQ(once.epsilon(3, 0.1).upper, all.epsilon(1, 0.1).upper);
  const DeltaBound delta = all.delta(1, 0.2697);
  EXPECT_NEAR(delta.bound.lower, 0.5893711, 1e-6);
  EXPECT_NEAR(delta.bound.upper, 0.6233403, 1e-6);
  ASSERT_EQ(delta.bound.notes.size(), 1U);
  EXPECT_NE(delta.bound.notes.front().find("the same data in every round"), std::string::npos);
  EXPECT_THROW(once.epsilon(17, 0.1), Unsupported);
  EXPECT_THROW(Accountant(parse_plan("3 x shuffle(5, rr(1.8), 2)")), Unsupported);
}

TEST(ExactAccountant, RefusesBeforeAnyQuestion) {
  for (const char* plan : {"laplace(1)", "2 x shuffle(100, rr(1))", "gaussian(1) + laplace(1)",
                           "shuffle(10, rr(1)) under add_or_remove_one", "shuffle(10, gaussian(1))"})
    EXPECT_THROW(Accountant(parse_plan(plan)), Unsupported) << plan;
  EXPECT_THROW(Accountant({Gaussian{-1.0}, Adjacency::replace_one}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::exact
