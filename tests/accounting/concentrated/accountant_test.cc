#include "dpbudget/accounting/concentrated/accountant.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/concentrated/account_of.h"
#include "dpbudget/accounting/concentrated/tcdp.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::concentrated {
namespace {

using dpbudget::testing::log_uniform;

Event random_leaf() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return Gaussian{log_uniform(0.5, 20)};
    case 1:
      return Laplace{log_uniform(0.5, 20)};
    case 2:
      return DiscreteGaussian{log_uniform(0.5, 20)};
    case 3:
      return DiscreteLaplace{log_uniform(0.5, 20)};
    default:
      return RandomizedResponse{log_uniform(0.05, 2), static_cast<std::uint64_t>(*rc::gen::inRange(2, 50))};
  }
}

// Of moderate size, so that privacy-loss distributions take milliseconds; sampled as far as the theorem allows.
Event random_part() {
  const auto count = static_cast<std::uint64_t>(*rc::gen::inRange(1, 6));
  const double rate = log_uniform(1e-2, 0.1);
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return Repeated{count, random_leaf()};
    case 1:
      return Participates{rate, Event(Repeated{count, random_leaf()})};
    case 2:
      return Repeated{count, Event(SampledWithoutReplacement{rate, Event(Gaussian{log_uniform(2.3, 10)})})};
    case 3:
      return SampledWithoutReplacement{rate, Event(PureDp{log_uniform(0.1, 0.4)})};
    case 4:
      return SampledWithoutReplacement{rate,
                                       Event(Composed{{Gaussian{log_uniform(4, 10)}, Laplace{log_uniform(5, 10)}}})};
    default:
      return random_leaf();
  }
}

Plan random_plan() {
  std::vector<Event> parts;
  for (int i = *rc::gen::inRange(1, 3); i > 0; --i) parts.emplace_back(random_part());
  return {compose(std::move(parts)), Adjacency::replace_one};
}

RC_GTEST_PROP(ConcentratedAccountant, IsNeverBelowTheLossDistributionsLowerEnd, ()) {
  for (int plans = 0; plans < 3; ++plans) {
    const Plan plan = random_plan();
    loss_distribution::Accountant truth(plan, 0.5);
    if (*rc::gen::arbitrary<bool>()) {
      const double delta = log_uniform(1e-6, 0.1);
      RC_ASSERT(epsilon(plan, delta).upper >= truth.epsilon(1, delta).lower);
    } else {
      const double epsilon = log_uniform(1e-2, 5);
      RC_ASSERT(concentrated::delta(plan, epsilon).log_upper >= truth.delta(1, epsilon).log_lower);
    }
  }
}

TEST(ConcentratedAccountant, IsCloseToTheGaussiansExactEpsilon) {
  for (const double noise : {0.01, 0.3, 1.0, 10.0, 1e4}) {
    const Plan plan{Gaussian{noise}, Adjacency::add_or_remove_one};
    for (const double delta : {1e-300, 1e-12, 1e-3}) {
      const double exact = profile::gaussian_epsilon(noise, delta);
      const double upper = epsilon(plan, delta).upper;
      EXPECT_GE(upper, exact) << noise << " " << delta;
      EXPECT_LE(upper, exact * 1.2 + 1e-3) << noise << " " << delta;
    }
  }
}

// What rounding costs beside the reference functions.
// accounting/concentrated/proofs.md, 2.2 and 5.1
RC_GTEST_PROP(ConcentratedAccountant, IsTheOptimalConversionFromAbove, ()) {
  const Plan plan = random_plan();
  const TruncatedCdp tcdp = account_of(plan).tcdp;
  const double delta = log_uniform(1e-300, 0.99);
  const double upper = epsilon(plan, delta).upper;
  const double exact = tcdp_to_epsilon_optimal(tcdp.rho, tcdp.omega, delta);
  RC_ASSERT(upper >= exact);
  RC_ASSERT(upper <= exact * (1 + 1e-11) + 1e-11);
  const double log_upper = concentrated::delta(plan, exact).log_upper;
  const double exact_log = tcdp_to_log_delta_optimal(tcdp.rho, tcdp.omega, exact);
  RC_ASSERT(log_upper >= exact_log);
  RC_ASSERT(log_upper <= exact_log * (1 - 1e-10) + 1e-11);
}

RC_GTEST_PROP(ConcentratedAccountant, IsMonotoneAndCompositionCommutes, ()) {
  const Plan plan = random_plan();
  const Event other = random_part();
  const double delta = log_uniform(1e-100, 0.5);
  const auto spent = [&](const Event& event, double at) { return epsilon({event, plan.adjacency}, at).upper; };
  const double once = spent(plan.event, delta);
  RC_ASSERT(once <= spent(plan.event, delta / 2) * (1 + 1e-12) + 1e-12);
  RC_ASSERT(once <= spent(Repeated{2, plan.event}, delta) * (1 + 1e-12) + 1e-12);
  const double left = spent(Composed{{plan.event, other}}, delta);
  RC_ASSERT(std::abs(left - spent(Composed{{other, plan.event}}, delta)) <= 1e-12 * (1 + left));
  RC_ASSERT(once <= left * (1 + 1e-12) + 1e-12);
}

TEST(ConcentratedAccountant, AnswersAtTheExtremes) {
  const auto spent = [](std::string_view plan, double delta) { return epsilon(parse_plan(plan), delta).upper; };
  EXPECT_EQ(spent("nothing", 1e-5), 0);
  EXPECT_EQ(spent("gaussian(1000000)", 0.5), 0);
  EXPECT_GT(spent("gaussian(0.007)", 1e-300), 1e4);
  EXPECT_GT(spent("1000000000 x gaussian(1e8)", 1e-300), 0);
  EXPECT_EQ(spent("gaussian(1e-200)", 1e-5), infinity);
  EXPECT_EQ(epsilon(parse_plan("gaussian(1e-200)"), 1e-5).notes.size(), 1U);
  EXPECT_EQ(epsilon(parse_plan("gaussian(1e-154)"), 1e-5).notes.size(), 0U);

  const auto log_delta = [](std::string_view plan, double at) { return delta(parse_plan(plan), at).log_upper; };
  EXPECT_EQ(log_delta("nothing", 0), -infinity);
  EXPECT_EQ(delta(parse_plan("nothing"), 0).bound.upper, 0);
  EXPECT_EQ(log_delta("gaussian(1e-200)", 1), 0);
  EXPECT_EQ(delta(parse_plan("gaussian(1e-200)"), 1).bound.upper, 1);
  EXPECT_EQ(delta(parse_plan("gaussian(1e-154)"), 1).bound.upper, 1);
  // A logarithm that no double holds is answered by one that is larger.
  EXPECT_TRUE(std::isfinite(log_delta("gaussian(1e160)", 1e10)));
  EXPECT_LT(log_delta("gaussian(1e160)", 1e10), -1e270);
  EXPECT_GT(delta(parse_plan("gaussian(1)"), 1e3).bound.upper, 0);
}

TEST(ConcentratedAccountant, SaysByWhichTheorems) {
  const Bound bound = epsilon(parse_plan("428 x participates(0.05, 10 x wor(0.02, gaussian(10) + rr(0.1)))"), 2.5e-6);
  EXPECT_EQ(bound.guarantee, Guarantee::proven);
  EXPECT_EQ(bound.lower, 0);
  EXPECT_EQ(bound.accountant, "concentrated");
  for (const auto* name :
       {"Bun, Steinke 2016, Proposition 1.6", "accounting/concentrated/proofs.md, 1.1", "Chen et al. 2024, Lemma 3",
        "Chen et al. 2024, Lemma 4", "accounting/concentrated/proofs.md, 3.2", "Canonne, Kamath, Steinke 2020"})
    EXPECT_NE(joined(bound.theorems).find(name), std::string::npos) << joined(bound.theorems);
}

TEST(ConcentratedAccountant, IsChosenByName) {
  EXPECT_EQ(accountant_named("concentrated"), AccountantName::concentrated);
  const Plan plan = parse_plan("wor(0.02, gaussian(10))");
  const auto accountant = make_accountant(AccountantName::concentrated, plan).value();
  const Plan repeated{Repeated{100, plan.event}, plan.adjacency};
  EXPECT_EQ(accountant->epsilon(100, 1e-5).value().upper, epsilon(repeated, 1e-5).upper);
  EXPECT_EQ(accountant->delta(100, 0.1).value().log_upper, delta(repeated, 0.1).log_upper);
  EXPECT_THROW(make_accountant(AccountantName::concentrated, parse_plan("poisson(0.1, gaussian(1))")).value(),
               Unsupported);
}

TEST(ConcentratedAccountant, RefusesBadInputByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Plan plan = parse_plan("gaussian(1)");
  for (const double bad : {0.0, 1.0, -1.0, nan}) EXPECT_THROW(epsilon(plan, bad), InvalidArgument);
  for (const double bad : {-1.0, infinity, nan}) EXPECT_THROW(delta(plan, bad), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::concentrated
