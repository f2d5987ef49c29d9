#include "dpbudget/accounting/loss_distribution/releases/dealt_blocks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/loss_distribution/finite_pair.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::delta_of;
using dpbudget::testing::FinitePair;
using dpbudget::testing::log_uniform;

Event blocks(std::string_view text) {
  const Plan plan = parse_plan(text);
  return blocks_of(std::get<RandomlyAllocated>(plan.event), plan.adjacency);
}

TEST(DealtBlocks, DivideTheStepsEvenly) {
  const auto as_text = [](std::string_view text) { return to_text(blocks(text)); };
  EXPECT_EQ(as_text("random_allocation(3 of 12, gaussian(1))"), "3 x random_allocation(4, gaussian(1))");
  EXPECT_EQ(as_text("random_allocation(3 of 14, gaussian(1))"),
            "random_allocation(4, gaussian(1)) + 2 x random_allocation(5, gaussian(1))");
  EXPECT_EQ(as_text("random_allocation(3 of 5, gaussian(1))"), "gaussian(1) + 2 x random_allocation(2, gaussian(1))");
}

// accounting/loss_distribution/proofs.md, 4c.6; accounting/renyi/proofs.md, 7.2; accounting/approximate/proofs.md, 5.1
RC_GTEST_PROP(DealtBlocks, HoldWhatEnumerationFinds, ()) {
  const double e = log_uniform(0.05, 3);
  const Event leaf = *rc::gen::arbitrary<bool>() ? Event(RandomizedResponse{e, 2}) : Event(RandomizedResponse{e, 3});
  const auto steps = static_cast<std::uint64_t>(*rc::gen::inRange(2, 8));
  const auto times = static_cast<std::uint64_t>(*rc::gen::inRange(1, static_cast<int>(steps) + 1));
  const Plan plan{RandomlyAllocated{{times, Count(steps)}, Inner(leaf)}, Adjacency::add_or_remove_one};
  const FinitePair pair = dpbudget::testing::pair_of(plan.event);
  const double epsilon = *rc::gen::inRange(0, 10) * 0.1 * e * static_cast<double>(times);
  const long double truth = delta_of(pair, epsilon);
  for (const AccountantName name :
       {AccountantName::loss_distribution, AccountantName::renyi, AccountantName::approximate}) {
    const DeltaBound found = make_accountant(name, plan).value()->delta(1, epsilon).value();
    RC_LOG() << to_text(plan) << " at " << epsilon << ": " << found.bound.lower << " " << static_cast<double>(truth)
             << " " << found.bound.upper;
    RC_ASSERT(found.bound.lower <= truth * (1 + 1e-12L) + 1e-15L);
    RC_ASSERT(found.bound.upper >= truth * (1 - 1e-12L) - 1e-15L);
  }
}

// Sums of all outputs are no more than what the pair of all of them shows.
TEST(DealtBlocks, OfGaussiansAreBracketedBySumAndBlocks) {
  const Bound found = Accountant(parse_plan("random_allocation(4 of 100, gaussian(2))"), 1e-3).epsilon(1, 1e-5);
  const Bound sum = Accountant(parse_plan("gaussian(5)"), 1e-3).epsilon(1, 1e-5);
  const Bound of_blocks = Accountant(parse_plan("4 x random_allocation(25, gaussian(2))"), 1e-3).epsilon(1, 1e-5);
  EXPECT_NEAR(found.lower, sum.lower, 1e-3 * sum.lower);
  EXPECT_NEAR(found.upper, of_blocks.upper, 2e-3 * of_blocks.upper);
  EXPECT_LE(found.lower, found.upper);
  EXPECT_EQ(found.guarantee, Guarantee::proven);
}

TEST(DealtBlocks, ComposeAndStandInsideSamples) {
  for (const char* text :
       {"5 x random_allocation(2 of 9, gaussian(3))", "poisson(0.1, random_allocation(2 of 9, gaussian(3)))",
        "random_allocation(2 of 9, 2 x laplace(5) + gaussian(4))", "random_allocation(2 of 9, poisson(0.5, rr(1)))"}) {
    const Bound found = Accountant(parse_plan(text), 1e-2).epsilon(1, 1e-5);
    EXPECT_TRUE(0 < found.lower && found.lower <= found.upper) << text << ' ' << found.lower << ' ' << found.upper;
    EXPECT_LT(found.upper, 10) << text;
  }
}

TEST(DealtBlocks, IntoMoreStepsCostMore) {
  double before = 0;
  for (const char* text : {"random_allocation(1 of 12, gaussian(2))", "random_allocation(2 of 12, gaussian(2))",
                           "random_allocation(4 of 12, gaussian(2))", "random_allocation(12 of 12, gaussian(2))"}) {
    const double upper = Accountant(parse_plan(text), 1e-3).epsilon(1, 1e-5).upper;
    EXPECT_GT(upper, before) << text;
    before = upper;
  }
  EXPECT_NEAR(before, Accountant(parse_plan("12 x gaussian(2)"), 1e-3).epsilon(1, 1e-5).upper, 1e-2 * before);
}

}  // namespace
}  // namespace dpbudget::loss_distribution
