#include "dpbudget/accounting/loss_distribution/clipped_batches.h"

#include <gtest/gtest.h>

#include <string>

#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

Bound epsilon_of(const std::string& plan, double delta) {
  return Accountant(NormalPlan(parse_plan(plan, Adjacency::replace_one)), 1e-3).epsilon(1, delta);
}

// accounting/loss_distribution/proofs.md, 4k.8 and 4k.10
TEST(ClippedBatches, CostLessThanTheirRoundsTakenOneByOne) {
  const Bound one_by_one = epsilon_of("200 x wor(0.05, gaussian(1))", 1e-5);
  const Bound together = epsilon_of("200 x wor(0.05, gaussian(1), clipped)", 1e-5);
  EXPECT_DOUBLE_EQ(together.lower, one_by_one.lower);
  EXPECT_GE(together.upper, together.lower);
  EXPECT_LT(together.upper, 1.05 * together.lower);
  EXPECT_GT(one_by_one.upper, 1.13 * one_by_one.lower);
}

// accounting/loss_distribution/proofs.md, 4k.10
TEST(ClippedBatches, ComposeInBlocksWithAllElse) {
  for (const std::string rest : {"30 x wor(0.02, gaussian(2), clipped)", "gaussian(3)", "rr(0.3)"}) {
    const std::string before = "1000 x wor(0.02, gaussian(1)";
    const Bound one_by_one = epsilon_of(before + ") + " + rest, 1e-5);
    const Bound together = epsilon_of(before + ", clipped) + " + rest, 1e-5);
    EXPECT_LT(together.upper, one_by_one.upper) << rest;
    EXPECT_GE(together.upper, together.lower) << rest;
  }
}

TEST(ClippedBatches, CostWhatOneRoundCosts) {
  EXPECT_DOUBLE_EQ(epsilon_of("wor(0.05, gaussian(1), clipped)", 1e-5).upper,
                   epsilon_of("wor(0.05, gaussian(1))", 1e-5).upper);
}

TEST(ClippedBatches, NeverCostMore) {
  for (const std::string round : {"wor(0.5, gaussian(0.3)", "wor(1e-5, gaussian(1)", "wor(0.9, gaussian(20)"})
    for (const double delta : {0.01, 1e-9, 1e-20})
      EXPECT_LE(epsilon_of("20 x " + round + ", clipped)", delta).upper, epsilon_of("20 x " + round + ")", delta).upper)
          << round << ' ' << delta;
}

// Its losses reach too far for the mesh that a game of such rare rounds wants.
TEST(ClippedBatches, LeaveTheAnswerThatThereIsWhereAGameIsTooMuch) {
  for (const std::string round : {"wor(1e-6, gaussian(1)", "wor(1e-8, gaussian(20)"}) {
    const Bound plain = epsilon_of("200 x " + round + ") + gaussian(0.05)", 1e-5);
    const Bound clipped = epsilon_of("200 x " + round + ", clipped) + gaussian(0.05)", 1e-5);
    EXPECT_LE(clipped.upper, plain.upper) << round;
    EXPECT_DOUBLE_EQ(clipped.lower, plain.lower) << round;
  }
}

TEST(ClippedBatches, AnswerDeltaToo) {
  Accountant accountant(NormalPlan(parse_plan("100 x wor(0.05, gaussian(1), clipped)", Adjacency::replace_one)), 1e-3);
  const double epsilon = accountant.epsilon(1, 1e-5).upper;
  const DeltaBound found = accountant.delta(1, epsilon);
  EXPECT_NEAR(found.bound.upper, 1e-5, 3e-7);
  EXPECT_GE(found.bound.upper, found.bound.lower);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
