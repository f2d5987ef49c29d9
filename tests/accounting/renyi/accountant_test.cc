#include "dpbudget/accounting/renyi/accountant.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "accounting/random_event.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/conversion.h"

namespace dpbudget::renyi {
namespace {

double spent(std::string_view plan, double delta) { return epsilon(parse_plan(plan), delta).upper; }

Plan random_plan() {
  const bool poisson = *rc::gen::arbitrary<bool>();
  return {dpbudget::testing::random_event(3, poisson ? "poisson" : "wor"),
          poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
}

// Values of other Rényi accountants (dp-accounting, opacus, autodp): ours may be smaller, never by much, because theirs
// search a grid of orders.
TEST(Accountant, IsAtMostThePeersOnTheirWorkloads) {
  const auto close_below = [](double ours, double theirs) {
    EXPECT_LE(ours, theirs);
    EXPECT_GT(ours, theirs * 0.999);
  };
  close_below(spent("10000 x poisson(0.01, gaussian(1))", 1e-5), 6.712738);
  close_below(spent("14100 x poisson(0.004266666666666667, gaussian(1.1))", 1e-5), 2.600343);
  close_below(spent("1000000 x poisson(0.0001, gaussian(0.8))", 1e-5), 1.04315);
  close_below(spent("1000 x laplace(10)", 1e-6), 20.04664);
  close_below(spent("gaussian(1)", 1e-5), 4.728387);
  close_below(spent("100 x gaussian(1)", 1e-5), 96.03528);
  // Without replacement the peers have the curve theorem (3.109588); the tight curve gives less.
  EXPECT_LT(spent("1000 x wor(0.02, gaussian(2))", 1e-5), 1.7);
}

TEST(Accountant, TwoThousandDifferentRoundsAreOrdinary) {
  Composed rounds;
  double noise = 4;
  for (int t = 0; t < 2000; ++t, noise *= 0.999)
    rounds.parts.emplace_back(PoissonSampled{0.02, Event(Gaussian{noise})});
  const double value = epsilon({rounds, Adjacency::add_or_remove_one}, 1e-5).upper;
  EXPECT_LE(value, 10.40329);  // opacus
  EXPECT_GT(value, 8.95);      // below the true value by privacy-loss distributions
}

// accounting/renyi/proofs.md, 6.3
TEST(Accountant, IsNeverBelowTheGaussiansExactEpsilon) {
  // 18 digits of the exact values.
  EXPECT_GE(spent("gaussian(1)", 1e-5), 4.37717809568122463);
  EXPECT_GE(spent("10 x gaussian(1)", 1e-5), 17.8565868301076139);
  EXPECT_GE(spent("100 x gaussian(1)", 1e-5), 91.8172896246637447);
}

TEST(Accountant, AnswersAtTheExtremes) {
  EXPECT_EQ(spent("nothing", 1e-5), 0);
  EXPECT_EQ(spent("0 x gaussian(1)", 1e-5), 0);
  EXPECT_EQ(spent("poisson(0, gaussian(1))", 1e-5), 0);
  EXPECT_EQ(spent("gaussian(1000000)", 0.5), 0);
  EXPECT_GT(spent("gaussian(0.007)", 1e-300), 1e4);
  EXPECT_NEAR(spent("pure(2)", 1e-300), 2, 1e-12);
  EXPECT_GT(spent("gaussian(10000)", 1e-12), 0);
  EXPECT_LT(spent("gaussian(10000)", 1e-12), 1e-3);
  EXPECT_TRUE(std::isfinite(spent("1000000000 x poisson(1e-9, gaussian(1))", 1e-10)));
  // An order 1e5 above 1: tiny rates of large noise.
  EXPECT_LT(spent("wor(0.001, gaussian(1000))", 1e-10), 1e-5);
}

TEST(Accountant, SaysWhenNoBoundIsFinite) {
  const Bound bound = epsilon(parse_plan("gaussian(1e-200)"), 1e-5);
  EXPECT_TRUE(std::isinf(bound.upper));
  ASSERT_EQ(bound.notes.size(), 1U);
  EXPECT_NE(bound.notes.front().find("no order"), std::string::npos);
}

// Their best orders are in the tens of thousands, with a sampled curve to evaluate at each order below.
TEST(Accountant, AnswersNestedPlansOfLargeNoise) {
  EXPECT_LT(spent("wor(0.001, 10 x wor(0.001, gaussian(1000)))", 1e-12), 1e-4);
  EXPECT_LT(spent("100 x poisson(0.001, 3 x poisson(0.01, gaussian(50)))", 1e-6), 1e-2);
}

TEST(Accountant, ASampleOfASampleIsOneSample) {
  EXPECT_NEAR(spent("10 x poisson(0.1, poisson(0.2, gaussian(1)))", 1e-5),
              spent("10 x poisson(0.02, gaussian(1))", 1e-5), 1e-9);
  EXPECT_NEAR(spent("10 x wor(0.1, wor(0.2, gaussian(1)))", 1e-5), spent("10 x wor(0.02, gaussian(1))", 1e-5), 1e-9);
}

TEST(Accountant, ManyGaussiansOnOneSampleAreOne) {
  EXPECT_NEAR(spent("10 x poisson(0.1, 4 x gaussian(2))", 1e-5), spent("10 x poisson(0.1, gaussian(1))", 1e-5), 1e-9);
  EXPECT_NEAR(spent("wor(0.1, gaussian(3) + gaussian(4))", 1e-5), spent("wor(0.1, gaussian(2.4))", 1e-5), 1e-9);
}

RC_GTEST_PROP(Accountant, IsMonotoneInDeltaAndCountAndCommutes, ()) {
  const Plan plan = random_plan();
  const double delta = dpbudget::testing::log_uniform(1e-12, 0.1);
  const double once = epsilon(plan, delta).upper;
  RC_ASSERT(once >= 0);
  const double slack = 1e-9 * (1 + once);
  RC_ASSERT(epsilon(plan, delta / 10).upper + slack >= once);
  RC_ASSERT(epsilon({Repeated{2, plan.event}, plan.adjacency}, delta).upper + slack >= once);
  const Event other = Gaussian{3.0};
  const double left = epsilon({Composed{{plan.event, other}}, plan.adjacency}, delta).upper;
  const double right = epsilon({Composed{{other, plan.event}}, plan.adjacency}, delta).upper;
  RC_ASSERT(std::abs(left - right) <= 1e-6 * (1 + left));
  RC_ASSERT(left + slack >= once);
}

// The curve of the sample has a valley below order 65536, where the theorem is evaluated, and the whole's beyond it.
TEST(Accountant, LooksIntoEveryValleyOfOrders) {
  const std::string whole = "120 x participates(1e-6, participates(1 of 10, rr(0.0008665, 25)))";
  EXPECT_LE(spent("wor(0.00835, " + whole + ") under replace_one", 4.8e-10),
            spent(whole + " under replace_one", 4.8e-10));
}

// The slack is the search's: curves made of chords have a kink at every integer order and a step at order 65536.
RC_GTEST_PROP(Accountant, NeitherSamplingNorAbsenceCosts, ()) {
  const Plan plan = random_plan();
  const double delta = dpbudget::testing::log_uniform(1e-12, 0.1);
  const double rate = dpbudget::testing::log_uniform(1e-6, 1);
  const double whole = epsilon(plan, delta).upper;
  const double slack = 1e-6 + 1e-2 * whole;
  const Event sampled = plan.adjacency == Adjacency::replace_one ? Event(SampledWithoutReplacement{rate, plan.event})
                                                                 : Event(PoissonSampled{rate, plan.event});
  RC_ASSERT(epsilon({sampled, plan.adjacency}, delta).upper <= whole + slack);
  RC_ASSERT(epsilon({Participates{rate, plan.event}, plan.adjacency}, delta).upper <= whole + slack);
}

// The two searches may stop at different kinks of a curve made of chords.
RC_GTEST_PROP(Accountant, DeltaAndEpsilonAreInverse, ()) {
  const Plan plan = random_plan();
  const double delta = dpbudget::testing::log_uniform(1e-12, 0.1);
  const double at = epsilon(plan, delta).upper;
  RC_PRE(at > 1e-9 && std::isfinite(at));
  const double log_delta = std::log(delta);
  RC_ASSERT(renyi::delta(plan, at * (1 + 1e-7)).log_upper <= log_delta + 1e-2 * (1 + std::abs(log_delta)));
  RC_ASSERT(renyi::delta(plan, at * (1 - 2e-2)).log_upper >= log_delta);
}

// Their best orders are within 1e-2 of 1, behind orders that say nothing.
TEST(Accountant, FindsSmallDeltasOfHeavilyComposedPlans) {
  for (const auto& [plan, at] :
       {std::pair{"10000 x gaussian(0.1)", 1e-12}, {"1000 x poisson(0.5, gaussian(0.05))", 1e-9}}) {
    const double budget = spent(plan, at);
    EXPECT_GT(budget, 1e5);
    EXPECT_NEAR(renyi::delta(parse_plan(plan), budget).log_upper, std::log(at), 1e-3) << plan;
  }
}

// Any order of any curve gives a bound; the accountant's must be the smallest of a fine grid's, or smaller.
RC_GTEST_PROP(Accountant, FindsTheBestOrder, ()) {
  const Plan plan = random_plan();
  const double delta = dpbudget::testing::log_uniform(1e-12, 0.1);
  const double found = epsilon(plan, delta).upper;
  const PlanCurve curve = curve_of(plan);
  for (double position = -6; position < 8; position += 0.31) {
    const double order = 1 + std::exp(position);
    const double rdp = (*curve.curve)(order);
    if (!std::isfinite(rdp)) continue;
    RC_LOG() << to_text(plan) << " at delta " << delta << ", order " << order << "\n";
    RC_ASSERT(found <= to_epsilon_canonne(order, rdp, delta) * (1 + 1e-3) + 1e-9);
  }
}

// accounting/renyi/proofs.md, 6.3 and 6.4
RC_GTEST_PROP(Accountant, FindsTheBestOrderOfDelta, ()) {
  const Plan plan = random_plan();
  const double at = dpbudget::testing::log_uniform(1e-3, 30);
  const double found = delta(plan, at).log_upper;
  const PlanCurve curve = curve_of(plan);
  for (double position = -6; position < 8; position += 0.31) {
    const double order = 1 + std::exp(position);
    const double rdp = (*curve.curve)(order);
    if (!std::isfinite(rdp)) continue;
    RC_LOG() << to_text(plan) << " at epsilon " << at << ", order " << order << "\n";
    const double here = to_log_delta_canonne(order, rdp, at);
    RC_ASSERT(found <= here + 1e-3 * (1 + std::abs(here)));
  }
}

// Whose searches are over soon.
// accounting/renyi/proofs.md, 6.4
RC_GTEST_PROP(Accountant, FindsTheBestOrderOfCurvesThatDoNotFall, ()) {
  const std::string shuffle = fmt::format("{} x shuffle({}, rr({}))", *rc::gen::inRange(1, 1000),
                                          *rc::gen::inRange(100, 100000), dpbudget::testing::log_uniform(0.1, 4));
  const std::string gaussian = fmt::format("gaussian({})", dpbudget::testing::log_uniform(0.5, 100));
  const Plan plan =
      parse_plan(fmt::format("{} under replace_one", *rc::gen::element(shuffle, shuffle + " + " + gaussian, gaussian)));
  const double given_delta = dpbudget::testing::log_uniform(1e-40, 0.1);
  const PlanCurve curve = curve_of(plan);
  ASSERT_TRUE(curve.curve->is_nondecreasing());
  const double of_epsilon = epsilon(plan, given_delta).upper;
  const double at = of_epsilon * dpbudget::testing::log_uniform(0.3, 3);
  const double of_delta = delta(plan, at).log_upper;
  double before = 0;
  for (double position = -3; position < 9; position += 0.31) {
    const double order = 1 + std::exp(position);
    const double rdp = (*curve.curve)(order);
    RC_LOG() << to_text(plan) << " at delta " << given_delta << ", epsilon " << at << ", order " << order << "\n";
    RC_ASSERT(rdp >= before * (1 - 1e-2));
    before = rdp;
    RC_ASSERT(of_epsilon <= to_epsilon_canonne(order, rdp, given_delta) * (1 + 1e-3) + 1e-9);
    const double here = to_log_delta_canonne(order, rdp, at);
    RC_ASSERT(of_delta <= here + 1e-3 * (1 + std::abs(here)));
  }
}

RC_GTEST_PROP(Rounds, AreTheLargestThatFit, ()) {
  const Plan plan = random_plan();
  const double delta = dpbudget::testing::log_uniform(1e-12, 0.1);
  const double budget = dpbudget::testing::log_uniform(1e-2, 100);
  const Rounds found = rounds(plan, budget, delta);
  if (found.unbounded) {
    RC_ASSERT(found.at_rounds.upper <= budget);
    return;
  }
  RC_ASSERT(found.at_rounds.upper <= budget);
  RC_ASSERT(found.at_next.upper > budget);
  const double again =
      found.rounds == 0 ? 0 : epsilon({Repeated{found.rounds, plan.event}, plan.adjacency}, delta).upper;
  RC_ASSERT(std::abs(again - found.at_rounds.upper) <= 1e-9 * (1 + again));
}

TEST(Rounds, GoToABillionAndBeyond) {
  EXPECT_EQ(rounds(parse_plan("poisson(0.02, gaussian(1.5))"), 3, 1e-6).rounds, 1504U);
  const Rounds many = rounds(parse_plan("gaussian(100000)"), 1, 1e-6);
  EXPECT_GT(many.rounds, 400000000U);
  EXPECT_TRUE(rounds(parse_plan("nothing"), 1, 1e-6).unbounded);
  EXPECT_EQ(rounds(parse_plan("gaussian(0.1)"), 1, 1e-6).rounds, 0U);
  EXPECT_EQ(rounds(parse_plan("pure(0.25)"), 1, 1e-300).rounds, 4U);
  EXPECT_EQ(rounds(parse_plan("gaussian(1)"), 0, 0.1).rounds, 0U);
}

TEST(Accountant, RefusesWhatItHasNoTheoremFor) {
  const auto refuses = [](std::string_view text, const std::string& named, const std::string& instead) {
    try {
      epsilon(parse_plan(text), 1e-5);
      ADD_FAILURE() << "accepted " << text;
    } catch (const Unsupported& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(named), std::string::npos) << message;
      EXPECT_NE(message.find(instead), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  };
  refuses("3 x poisson(0.1, gaussian(1)) under replace_one", "poisson(0.1, gaussian(1))` under replace_one", "wor");
  refuses("wor(0.1, gaussian(1)) under add_or_remove_one", "under add_or_remove_one", "poisson");
  refuses("wor(0.1, gaussian(1)) under zero_out_one", "under zero_out_one", "replace_one");
  refuses("shuffle(10, gaussian(1)) under zero_out_one", "shuffle(10, gaussian(1))` under zero_out_one", "replace_one");
  refuses("approximate(1, 1e-6)", "approximate", "pure");
  EXPECT_NO_THROW(epsilon(parse_plan("poisson(0.1, gaussian(1)) under zero_out_one"), 1e-5));
}

TEST(Accountant, RefusesBadQuestions) {
  const Plan plan = parse_plan("gaussian(1)");
  for (const double bad : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(epsilon(plan, bad), InvalidArgument);
    EXPECT_THROW(rounds(plan, 1, bad), InvalidArgument);
  }
  for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(renyi::delta(plan, bad), InvalidArgument);
    EXPECT_THROW(rounds(plan, bad, 1e-5), InvalidArgument);
  }
  EXPECT_THROW(epsilon(parse_plan("gaussian(?)"), 1e-5), InvalidArgument);
  EXPECT_THROW(epsilon({Event(Gaussian{-1.0}), Adjacency::replace_one}, 1e-5), InvalidArgument);
}

TEST(Accountant, SaysByWhichTheorems) {
  const Bound bound = epsilon(parse_plan("428 x participates(0.05, 10 x wor(0.2, gaussian(10)))"), 2.5e-6);
  EXPECT_EQ(bound.guarantee, Guarantee::proven);
  for (const auto* name : {"Dong, Roth, Su 2019, Theorem 4.2", "Mironov 2017, Proposition 1",
                           "accounting/renyi/proofs.md, 6.1", "Canonne, Kamath, Steinke 2020"})
    EXPECT_NE(joined(bound.theorems).find(name), std::string::npos) << joined(bound.theorems);
}

}  // namespace
}  // namespace dpbudget::renyi
