#include "dpbudget/accounting/approximate/accountant.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "accounting/base/nan.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/approximate/composed_curve.h"
#include "dpbudget/accounting/approximate/leaves.h"
#include "dpbudget/accounting/approximate/optimal_composition.h"
#include "dpbudget/accounting/approximate/sampled_curve.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::approximate {
namespace {

using dpbudget::testing::log_uniform;

double spent(std::string_view plan, double delta) { return epsilon(parse_plan(plan), delta).upper; }

Plan random_plan(int depth) {
  const bool poisson = *rc::gen::arbitrary<bool>();
  return {dpbudget::testing::random_event(depth, poisson ? "poisson" : "wor"),
          poisson ? Adjacency::add_or_remove_one : Adjacency::replace_one};
}

// Of rates whose losses need few points, so that loss distributions answer in milliseconds.
Plan random_short_plan() {
  const Plan plan = random_plan(1);
  const auto* poisson = std::get_if<PoissonSampled>(&plan.event);
  const auto* fixed = std::get_if<SampledWithoutReplacement>(&plan.event);
  const double rate = poisson != nullptr ? poisson->rate.value() : fixed != nullptr ? fixed->rate.value() : 1;
  return rate < 1e-2 ? random_short_plan() : plan;
}

// The loss distribution's lower end is attained by data sets, so that no accountant may be below it.
// accounting/approximate/proofs.md, 3.2
RC_GTEST_PROP(ApproximateAccountant, IsNeverBelowWhatIsAttained, ()) {
  constexpr int plans = 3;  // of each of the 100 runs
  for (int i = 0; i < plans; ++i) {
    const Plan plan = random_short_plan();
    const double delta = log_uniform(1e-12, 0.1);
    const double upper = epsilon(plan, delta).upper;
    try {
      RC_ASSERT(upper >= loss_distribution::Accountant(plan, 0.3).epsilon(1, delta).lower);
    } catch (const Unsupported&) {
      RC_TAG("beyond the meshes of loss distributions");
    }
  }
}

// accounting/approximate/proofs.md, 3.2 and 3.4
TEST(ApproximateAccountant, IsNeverBelowWhatIsAttainedByNestedPlans) {
  for (const auto* text : {"50 x poisson(0.1, 3 x laplace(2))", "20 x wor(0.2, 3 x rr(1, 4)) + gaussian(2)",
                           "poisson(0.3, 10 x poisson(0.5, laplace(1))) + discrete_laplace(3)",
                           "100 x participates(0.05, 2 x gaussian(3))",
                           "100 x approximate(0.1, 1e-7) + 30 x pure(0.2) + discrete_gaussian(2)",
                           "5 x (gaussian(2) + 2 x laplace(3) + participates(0.5, rr(1)))"})
    for (const double delta : {1e-10, 1e-4, 0.05}) {
      const Plan plan = parse_plan(text);
      const double lower = loss_distribution::Accountant(plan, 0.3).epsilon(1, delta).lower;
      EXPECT_GE(epsilon(plan, delta).upper, lower) << text << " " << delta;
    }
}

TEST(ApproximateAccountant, IsExactWhereItsTheoremsAre) {
  // Gaussians together: 18 digits of the exact values.
  EXPECT_NEAR(spent("gaussian(1)", 1e-5), 4.37717809568122463, 1e-11);
  EXPECT_NEAR(spent("100 x gaussian(1)", 1e-5), 91.8172896246637447, 1e-9);
  // Pure and approximate DP: the optimal composition itself.
  EXPECT_NEAR(spent("100 x approximate(0.1, 1e-8)", 1e-5), 4.32963671401660619, 1e-9);
  EXPECT_NEAR(spent("10000 x pure(0.01)", 1e-6), 4.88551560100731516, 1e-9);
  EXPECT_NEAR(spent("pure(2)", 1e-300), 2, 1e-12);
  // One sampled Gaussian: log(1 + q (e^eps - 1)) at delta / q is attained.
  EXPECT_NEAR(spent("poisson(0.01, gaussian(1))", 1e-7), std::log1p(0.01 * std::expm1(4.37717809568122463)), 1e-10);
  EXPECT_NEAR(spent("participates(0.01, gaussian(1))", 1e-7), 4.37717809568122463, 1e-10);
  EXPECT_EQ(spent("1000 x poisson(1e-9, gaussian(0.1))", 1e-5), 0);
}

// What two different mechanisms of fixed guarantees have together, as the sum over their four outcomes says.
TEST(ApproximateAccountant, ComposesFewDifferentPartsOptimally) {
  const double half = spent("pure(0.5) + pure(1)", 0.1);
  const double top = std::exp(1.5) / ((1 + std::exp(0.5)) * (1 + std::exp(1)));
  EXPECT_NEAR(half, 1.5 + std::log1p(-0.1 / top), 1e-9);
  EXPECT_LT(spent("approximate(1, 1e-6) + gaussian(2)", 1e-5), spent("approximate(1, 1e-6) + gaussian(1)", 1e-5));
  EXPECT_LT(spent("300 x poisson(0.01, gaussian(5)) + laplace(3) + 20 x rr(0.1)", 1e-5), 20);
}

// Any share of delta gives a bound; the one that is found must be nearly the best of a fine grid.
TEST(ApproximateAccountant, FindsTheBestShare) {
  for (const auto& [count, noise, rate] : {std::tuple{10000.0, 8.0, 0.01}, {50.0, 3.0, 1.0}, {1e6, 20.0, 1e-3}}) {
    const CurvePtr inner = sampled_curve(rate, discrete_gaussian_curve(noise));
    const double found = repeated_curve(count, inner)->epsilon(1e-5);
    double best = infinity;
    for (double step = 0.01; step < 1; step += 0.03) {
      const double share = 1e-5 / count * step;
      best = std::min(best, optimal_composition_epsilon(inner->epsilon(share), share, count, 1e-5));
    }
    EXPECT_LT(found, best * 1.003) << count;
  }
}

RC_GTEST_PROP(ApproximateAccountant, FallsInDeltaAndRisesWithCount, ()) {
  const Plan plan = random_plan(2);
  const double delta = log_uniform(1e-12, 0.1);
  const double once = epsilon(plan, delta).upper;
  RC_ASSERT(once >= 0);
  // The search for shares is not exact.
  RC_ASSERT(epsilon(plan, delta / 10).upper >= once * 0.99);
  RC_ASSERT(epsilon({Repeated{2, plan.event}, plan.adjacency}, delta).upper >= once * 0.99);
}

RC_GTEST_PROP(ApproximateAccountant, CompositionCommutes, ()) {
  const Plan plan = random_plan(1);
  const Event other = Laplace{3.0};
  const double left = epsilon({Composed{{plan.event, other}}, plan.adjacency}, 1e-6).upper;
  const double right = epsilon({Composed{{other, plan.event}}, plan.adjacency}, 1e-6).upper;
  RC_ASSERT(left == right || std::abs(left - right) <= 1e-9 * left);
}

RC_GTEST_PROP(ApproximateAccountant, NeitherSamplingNorAbsenceCosts, ()) {
  const Plan plan = random_plan(1);
  const double delta = log_uniform(1e-12, 0.1);
  const double rate = log_uniform(1e-6, 1);
  const double whole = epsilon(plan, delta).upper * 1.01 + 1e-12;
  const Event sampled = plan.adjacency == Adjacency::replace_one ? Event(SampledWithoutReplacement{rate, plan.event})
                                                                 : Event(PoissonSampled{rate, plan.event});
  RC_ASSERT(epsilon({sampled, plan.adjacency}, delta).upper <= whole);
  RC_ASSERT(epsilon({Participates{rate, plan.event}, plan.adjacency}, delta).upper <= whole);
}

RC_GTEST_PROP(ApproximateAccountant, DeltaIsSafeAndNearTheSmallest, ()) {
  const Plan plan = random_plan(1);
  const double at = log_uniform(1e-3, 10);
  const DeltaBound found = delta(plan, at);
  RC_ASSERT(0 <= found.bound.upper && found.bound.upper <= 1 && found.bound.lower == 0);
  if (found.bound.upper == 0 || found.bound.upper > 0.999) return;
  if (found.bound.upper > 1e-290) {
    RC_ASSERT(epsilon(plan, found.bound.upper * (1 + 1e-9)).upper <= at * 1.02 + 1e-9);
    RC_ASSERT(epsilon(plan, found.bound.upper * 0.98).upper >= at * 0.99);
    const Accountant accountant(plan);
    RC_ASSERT(!accountant.is_delta_above(1, at, found.log_upper + 1e-6));  // curves fall but for rounding
    RC_ASSERT(!accountant.is_delta_above(1, at, found.log_upper + 0.1));
    RC_ASSERT(accountant.is_delta_above(1, at, found.log_upper - 0.1) ||
              gaussian_noise(plan.event, Rounding::down));  // which has a closed form
  }
}

TEST(ApproximateAccountant, GivesDeltasAtTheExtremes) {
  EXPECT_EQ(delta(parse_plan("10 x pure(0.1)"), 1.01).log_upper, -infinity);
  EXPECT_EQ(delta(parse_plan("nothing"), 0).bound.upper, 0);
  EXPECT_NEAR(delta(parse_plan("gaussian(1)"), 100).log_upper, profile::gaussian_log_delta(100, 1), 1e-6);
  EXPECT_EQ(delta(parse_plan("approximate(1, 1)"), 1).bound.upper, 1);
  EXPECT_NEAR(delta(parse_plan("100 x approximate(0.1, 1e-8)"), 4.32963671401660619).bound.upper, 1e-5, 1e-9);
}

TEST(ApproximateAccountant, AnswersAtTheExtremes) {
  EXPECT_EQ(spent("0 x gaussian(1)", 1e-5), 0);
  EXPECT_EQ(spent("poisson(0, laplace(1))", 1e-5), 0);
  EXPECT_TRUE(std::isfinite(spent("1000000000 x poisson(1e-9, gaussian(1))", 1e-10)));
  EXPECT_TRUE(std::isfinite(spent("1000000 x poisson(0.01, laplace(100))", 1e-300)));
  EXPECT_TRUE(std::isfinite(spent("9007199254740992 x poisson(1e-9, gaussian(100))", 1e-5)));
  EXPECT_LT(spent("5 x poisson(0.3, 10 x poisson(0.4, 20 x poisson(0.1, laplace(2))))", 1e-5), 100);
  const Bound none = epsilon(parse_plan("10 x approximate(1, 0.1)"), 1e-5);
  EXPECT_EQ(none.upper, infinity);
  ASSERT_EQ(none.notes.size(), 1U);
  EXPECT_NE(none.notes.front().find("no finite epsilon"), std::string::npos);
}

TEST(ApproximateAccountant, AnswersByName) {
  const auto accountant = make_accountant(AccountantName::approximate, parse_plan("pure(0.01)")).value();
  const Bound bound = accountant->epsilon(10000, 1e-6).value();
  EXPECT_NEAR(bound.upper, 4.88551560100731516, 1e-9);
  EXPECT_EQ(bound.accountant, "approximate");
  EXPECT_EQ(bound.guarantee, Guarantee::proven);
  EXPECT_NE(joined(bound.theorems).find("Kairouz, Oh, Viswanath 2015, Theorem 3.3"), std::string::npos)
      << joined(bound.theorems);
  EXPECT_EQ(accountant->epsilon(0, 1e-6).value().upper, 0);
  EXPECT_NEAR(accountant->delta(10000, 4.88551560100731516).value().bound.upper, 1e-6, 1e-10);
  EXPECT_EQ(accountant_named("approximate"), AccountantName::approximate);
  EXPECT_THROW(make_accountant(AccountantName::approximate, parse_plan("shuffle(10, zcdp(1))")).value(), Unsupported);
}

TEST(ApproximateAccountant, SaysByWhichTheorems) {
  const Bound bound = epsilon(parse_plan("3 x wor(0.1, gaussian(3)) + participates(0.5, laplace(9))"), 1e-5);
  for (const auto* name : {"Balle, Wang 2018, Theorem 8", "Balle, Barthe, Gaboardi 2018, Theorem 9",
                           "Dong, Roth, Su 2019, Proposition A.6", "accounting/renyi/proofs.md, 6.1", "Theorem 3.5"})
    EXPECT_NE(joined(bound.theorems).find(name), std::string::npos) << joined(bound.theorems);
}

TEST(ApproximateAccountant, RefusesWhatItHasNoTheoremFor) {
  const auto refuses = [](std::string_view text, const std::string& named, const std::string& instead) {
    try {
      epsilon(parse_plan(text), 1e-5);
      ADD_FAILURE() << "accepted " << text;
    } catch (const Unsupported& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(named), std::string::npos) << message;
      EXPECT_NE(message.find(instead), std::string::npos) << message;
    }
  };
  refuses("3 x poisson(0.1, gaussian(1)) under replace_one", "poisson(0.1, gaussian(1))` under replace_one", "wor");
  refuses("wor(0.1, gaussian(1)) under add_or_remove_one", "under add_or_remove_one", "poisson");
  refuses("wor(0.1, gaussian(1)) under zero_out_one", "under zero_out_one", "replace_one");
  refuses("shuffle(10, zcdp(1))", "`zcdp(1)`", "renyi");
  EXPECT_NO_THROW(epsilon(parse_plan("poisson(0.1, gaussian(1)) under zero_out_one"), 1e-5));
}

TEST(ApproximateAccountant, RefusesBadQuestions) {
  const Plan plan = parse_plan("gaussian(1)");
  for (const double bad : {0.0, 1.0, -1.0, nan}) EXPECT_THROW(epsilon(plan, bad), InvalidArgument);
  for (const double bad : {-1.0, infinity, nan}) EXPECT_THROW(delta(plan, bad), InvalidArgument);
  EXPECT_THROW(epsilon(parse_plan("gaussian(?)"), 1e-5), InvalidArgument);
  EXPECT_THROW(epsilon({Event(Gaussian{-1.0}), Adjacency::replace_one}, 1e-5), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::approximate
