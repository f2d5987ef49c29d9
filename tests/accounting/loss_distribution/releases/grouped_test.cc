#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/loss_distribution/releases/grouped_response.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;

Bound delta_by(AccountantName name, const std::string& plan, double epsilon) {
  return make_accountant(name, parse_plan(plan), 1e-4).value()->delta(1, epsilon).value().bound;
}

void expect_around(const std::string& plan, double epsilon, double truth) {
  for (const AccountantName name :
       {AccountantName::loss_distribution, AccountantName::renyi, AccountantName::approximate}) {
    const auto accountant = make_accountant(name, parse_plan(plan), 1e-4);
    if (!accountant) continue;
    const Bound found = (*accountant)->delta(1, epsilon).value().bound;
    EXPECT_GE(found.upper, truth * (1 - 1e-11)) << plan << " by " << to_string(name);
    EXPECT_LE(found.lower, truth * (1 + 1e-9)) << plan << " by " << to_string(name);
    if (name != AccountantName::renyi) {
      EXPECT_LE(found.upper, truth * 1.001) << plan << " by " << to_string(name);
    }
    if (name == AccountantName::loss_distribution) {
      EXPECT_GE(found.lower, truth * 0.999) << plan;
    }
  }
}

// Computed at 40 digits by their half-lines, the larger direction.
// accounting/plan/proofs.md, 3.1 and 3.3; accounting/loss_distribution/proofs.md, 4g.1
TEST(Grouped, CostsInPoissonSamplesWhatItsMixtureDoes) {
  expect_around("group(2, poisson(0.1, gaussian(1)))", 0.5, 0.014528907704117948768);
  expect_around("group(2, poisson(0.1, gaussian(1)))", 2, 0.00036055217302203445592);
  expect_around("mixture(1; 0.18:1, 0.01:2)", 0.5, 0.014528907704117948768);
  expect_around("group(3, poisson(0.1, gaussian(1)))", 0.1, 0.086283837867229467242);
  expect_around("group(5, poisson(0.01, gaussian(2)))", 2, 1.897019545179197765e-17);
  expect_around("group(5, poisson(0.5, gaussian(1)))", 4, 0.29775384483451039398);
  expect_around("group(2, poisson(0.1, gaussian(1))) under replace_one", 1, 9.850266707313677882e-6);
  expect_around("group(5, poisson(0.1, gaussian(1))) under replace_one", 2, 0.00017721756344344323307);
  expect_around("group(5, poisson(0.5, gaussian(1))) under replace_one", 0, 0.72392046433126513508);
}

// accounting/plan/proofs.md, 1.2; accounting/loss_distribution/proofs.md, 4h.1 and 4h.2
TEST(Grouped, OfLeavesIsWhatTheirShiftsAre) {
  expect_around("group(3, laplace(2))", 0.5, -std::expm1((0.5 - 1.5) / 2));
  const auto exact = [](const char* plan) { return delta_by(AccountantName::exact, plan, 0.5); };
  EXPECT_NEAR(exact("group(3, gaussian(2))").upper, exact("gdp(1.5)").upper, 1e-13);
  EXPECT_NEAR(exact("group(4, gaussian(2))").upper, exact("gaussian(0.5)").upper, 1e-13);
  EXPECT_LE(exact("group(3, gaussian(2))").lower, exact("gdp(1.5)").upper);
  // Discrete Laplace noise of scale 2 and its shift by 3, outcome by outcome.
  double delta = 0;
  for (int z = -200; z <= 200; ++z) {
    const double q = std::tanh(0.25) * std::exp(-std::abs(z) / 2.0);
    const double p = std::tanh(0.25) * std::exp(-std::abs(z - 3) / 2.0);
    delta += std::max(0.0, p - std::exp(0.5) * q);
  }
  for (const char* plan : {"group(3, pure(0.5))", "group(3, discrete_laplace(2))"}) {
    const Bound found = delta_by(AccountantName::loss_distribution, plan, 0.5);
    EXPECT_NEAR(found.upper, delta, 1e-12) << plan;
    EXPECT_NEAR(found.lower, delta, 1e-12) << plan;
  }
  testing::expect_well_formed(grouped_response_pieces(0.3, 7));
  const Pieces one = grouped_response_pieces(0.3, 1);
  EXPECT_EQ(one.pieces.size(), 2U);
  EXPECT_NEAR(one.pieces[1].p, 1 / (1 + std::exp(-0.3)), 1e-15);
}

TEST(Grouped, IsRefusedByNameWhereNothingIsKnown) {
  for (const char* plan : {"group(2, participates(0.1, gaussian(1)))", "group(2, random_allocation(3, gaussian(1)))",
                           "group(2, wor(0.1, gaussian(1)))", "group(2, mixture(1; 0.1:1, 0.2:2))",
                           "group(2, poisson(0.1, rr(1))) under replace_one", "group(2, zcdp(1))"}) {
    const auto found = make_accountant(AccountantName::loss_distribution, parse_plan(plan), 1e-3);
    ASSERT_FALSE(found) << plan;
    EXPECT_NE(found.error().text().find("has no theorem for `"), std::string::npos) << plan;
  }
  const auto replaced =
      make_accountant(AccountantName::best, parse_plan("mixture(1; 0.1:1, 0.2:2) under replace_one"), 1e-3);
  ASSERT_FALSE(replaced);
  EXPECT_NE(replaced.error().text().find("under replace_one"), std::string::npos);
}

// A sum of two records, each in the sample with probability q, plus Laplace noise: half-lines are its best events.
// accounting/plan/proofs.md, 4.1 and 4.2; accounting/loss_distribution/proofs.md, 4h.1
TEST(Grouped, IsNeverBelowASumThatIsSampled) {
  const double epsilon = 0.4;
  for (const double rate : {0.05, 0.5})
    for (const double scale : {0.7, 3.0}) {
      const auto above = [&](double t) { return t > 0 ? std::exp(-t / scale) / 2 : 1 - std::exp(t / scale) / 2; };
      double attained = 0;
      for (double t = -30; t < 30; t += 0.01) {
        const double none = above(t);
        const double with =
            (1 - rate) * (1 - rate) * none + 2 * rate * (1 - rate) * above(t - 1) + rate * rate * above(t - 2);
        attained = std::max({attained, with - std::exp(epsilon) * none, (1 - none) - std::exp(epsilon) * (1 - with)});
      }
      const std::string plan =
          "group(2, poisson(" + std::to_string(rate) + ", laplace(" + std::to_string(scale) + ")))";
      for (const AccountantName name :
           {AccountantName::loss_distribution, AccountantName::renyi, AccountantName::approximate}) {
        const Bound found = delta_by(name, plan, epsilon);
        EXPECT_GE(found.upper, attained * (1 - 1e-12)) << plan << " by " << to_string(name);
        EXPECT_GE(found.upper, found.lower) << plan << " by " << to_string(name);
      }
      const Bound found = delta_by(AccountantName::loss_distribution, plan, epsilon);
      EXPECT_LE(found.lower, attained * (1 + 1e-3)) << plan;
    }
}

// accounting/plan/proofs.md, 4.2
TEST(Grouped, OfPureReleasesIsPure) {
  for (const std::string inner : {"pure(0.7)", "laplace(3)", "rr(1.1)"}) {
    const auto epsilon = [](const std::string& plan) {
      return make_accountant(AccountantName::best, parse_plan(plan), 1e-4).value()->epsilon(1, 0).value().upper;
    };
    EXPECT_NEAR(epsilon("group(3, poisson(0.2, " + inner + "))"), 3 * epsilon("poisson(0.2, " + inner + ")"), 1e-9)
        << inner;
  }
}

// accounting/plan/proofs.md, 4.1
RC_GTEST_PROP(Grouped, GrowsWithTheGroupAndIsNeverBelowOne, ()) {
  const std::string rate = std::to_string(log_uniform(0.01, 0.9));
  const std::string noise = std::to_string(log_uniform(0.8, 5));
  const double epsilon = log_uniform(0.05, 2);
  const std::string inner =
      *rc::gen::element<std::string>("gaussian(" + noise + ")", "laplace(" + noise + ")", "rr(0.5)");
  double before = 0;
  for (const std::string k : {"1", "2", "4"}) {
    const Bound found =
        delta_by(AccountantName::loss_distribution, "group(" + k + ", poisson(" + rate + ", " + inner + "))", epsilon);
    RC_ASSERT(found.lower <= found.upper);
    RC_ASSERT(found.upper >= before);
    before = found.lower;
  }
}

}  // namespace
}  // namespace dpbudget::loss_distribution
