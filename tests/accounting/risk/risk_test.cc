#include "dpbudget/accounting/risk/risk.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget::risk {
namespace {

using numeric::Bracket;
using testing::log_uniform;

Bracket true_positive_rate(const Plan& plan, double fpr, AccountantName name = AccountantName::best) {
  return Attacker(plan, name).true_positive_rate(fpr);
}

double below(double x) { return cdf(boost::math::normal(), x); }
double above(double x) { return cdf(complement(boost::math::normal(), x)); }

// accounting/risk/proofs.md, 1.1
RC_GTEST_PROP(Attacker, IsTheLikelihoodRatioTestOfAGaussian, ()) {
  const double noise = log_uniform(0.3, 30);
  const double fpr = *rc::gen::arbitrary<bool>() ? log_uniform(1e-9, 0.9) : 1 - log_uniform(1e-6, 0.5);
  const double expected = above(quantile(complement(boost::math::normal(), fpr)) - 1 / noise);
  const Bracket found = true_positive_rate(Plan{Event(Gaussian{noise}), Adjacency::add_or_remove_one}, fpr);
  RC_LOG() << noise << ' ' << fpr << ": " << found.lower << ' ' << expected << ' ' << found.upper;
  RC_ASSERT(found.lower <= expected * (1 + 1e-12));
  RC_ASSERT(found.upper >= expected * (1 - 1e-12));
  RC_ASSERT(found.width() <= 1e-3 * found.upper);
}

RC_GTEST_PROP(Attacker, OfRandomisedResponseAnswersWithWhatWasSaid, ()) {
  const double e = log_uniform(0.01, 8);
  const double fpr = log_uniform(1e-4, 0.99);
  const double expected = std::min(std::exp(e) * fpr, 1 - std::exp(-e) * (1 - fpr));
  const Bracket found = true_positive_rate(Plan{Event(RandomizedResponse{e, 2}), Adjacency::replace_one}, fpr);
  RC_LOG() << e << ' ' << fpr << ": " << found.lower << ' ' << expected << ' ' << found.upper;
  RC_ASSERT(found.lower <= expected * (1 + 1e-12));
  RC_ASSERT(found.upper >= expected * (1 - 1e-12));
}

// P has the record with probability q. Both are tests of a threshold, of the mixture or for it.
void expect_bounds_on_both_tests(double q, double noise, double fpr) {
  const auto of_mixture = [&](double threshold) {
    return (1 - q) * above(threshold) + q * above(threshold - 1 / noise);
  };
  const double present = of_mixture(quantile(complement(boost::math::normal(), fpr)));
  std::uintmax_t steps = 200;
  const double threshold = boost::math::tools::bisect([&](double t) { return 1 - of_mixture(t) - fpr; }, -40.0, 40.0,
                                                      boost::math::tools::eps_tolerance<double>(52), steps)
                               .first;
  const double expected = std::max(present, below(threshold));
  const Bracket found =
      true_positive_rate(Plan{Event(PoissonSampled{q, Event(Gaussian{noise})}), Adjacency::add_or_remove_one}, fpr);
  EXPECT_LE(found.lower, expected * (1 + 1e-9)) << q << ' ' << noise << ' ' << fpr;
  EXPECT_GE(found.upper, expected * (1 - 1e-9)) << q << ' ' << noise << ' ' << fpr;
}

// accounting/risk/proofs.md, 1.1 and 2.1
TEST(Attacker, BoundsBothTestsOfASampledGaussian) {
  for (const auto& [q, noise] : {std::pair(0.02, 0.8), std::pair(0.8, 1.0)})
    for (const double fpr : {1e-5, 0.7}) expect_bounds_on_both_tests(q, noise, fpr);
}

TEST(Attacker, LosesByNoFewerFalsePositivesAndByNoFewerReleases) {
  for (const double fpr : {1e-3, 0.4}) {
    const Bracket once = true_positive_rate(parse_plan("laplace(2)"), fpr);
    EXPECT_GE(once.lower, fpr);
    EXPECT_LE(once.upper, 1);
    EXPECT_GE(true_positive_rate(parse_plan("laplace(2)"), 2 * fpr).upper, once.lower);
    EXPECT_GE(true_positive_rate(parse_plan("3 x laplace(2)"), fpr).upper, once.lower);
  }
}

// The value of a computation in many digits; riskcal 1.5 says 0.02915, 0.02910, 0.02808 on finer and finer grids.
TEST(Attacker, IsRightWhereThePeersAreNot) {
  const Bracket found = true_positive_rate(parse_plan("1000 x poisson(0.01, gaussian(1))"), 0.01);
  EXPECT_LE(found.lower, 0.0291390946);
  EXPECT_GE(found.upper, 0.0291390945);
  EXPECT_LT(found.width(), 1e-6);
}

// accounting/risk/proofs.md, 1.2
TEST(Attacker, HasTheTotalVariationAsAdvantage) {
  Attacker attacker(parse_plan("gaussian(2)"), AccountantName::best);
  const double expected = 2 * below(0.25) - 1;
  EXPECT_LE(attacker.advantage().lower, expected);
  EXPECT_GE(attacker.advantage().upper, expected * (1 - 1e-15));
  EXPECT_LT(attacker.advantage().width(), 1e-9);
  EXPECT_EQ(attacker.reason().guarantee, Guarantee::proven);
}

TEST(Attacker, WithNothingToSeeGuesses) {
  const Bracket found = true_positive_rate(parse_plan("pure(0)"), 0.2);
  EXPECT_EQ(found.lower, 0.2);
  EXPECT_NEAR(found.upper, 0.2, 1e-12);
}

// Upper ends alone prove no attack.
TEST(Attacker, GuessesWhereNothingIsKnownFromBelow) {
  const Bracket found = true_positive_rate(parse_plan("gaussian(1)"), 0.01, AccountantName::renyi);
  EXPECT_EQ(found.lower, 0.01);
  EXPECT_GT(found.upper, above(quantile(complement(boost::math::normal(), 0.01)) - 1));
}

// accounting/risk/proofs.md, 1.1 and 2.1
TEST(Attacker, HasACurveAroundThatOfAGaussian) {
  const std::vector<double> rates{1e-6, 1e-4, 0.01, 0.3, 0.9, 0.999};
  for (const double noise : {0.5, 3.0, 100.0}) {
    Attacker attacker(Plan{Event(Gaussian{noise}), {}}, AccountantName::best);
    const std::vector<Bracket> found = attacker.true_positive_rates(rates);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double expected = above(quantile(complement(boost::math::normal(), rates[i])) - 1 / noise);
      EXPECT_LE(found[i].lower, expected * (1 + 1e-12)) << noise << ' ' << rates[i];
      EXPECT_GE(found[i].upper, expected * (1 - 1e-12)) << noise << ' ' << rates[i];
      EXPECT_LT(found[i].width(), 0.1 * expected) << noise << ' ' << rates[i];
    }
  }
}

TEST(Attacker, RefusesRatesThatAreNone) {
  Attacker attacker(parse_plan("gaussian(2)"), AccountantName::best);
  for (const double rate : {0.0, 1.0, -0.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(attacker.true_positive_rate(rate), InvalidArgument) << rate;
  EXPECT_THROW(attacker.true_positive_rates(std::vector{0.5, 1.0}), InvalidArgument);
  EXPECT_THROW(attacker.true_positive_rates(std::vector<double>{}), InvalidArgument);
}

// accounting/risk/proofs.md, 3.2: the record is one of some numbers in [0, 1], each as likely as the others, and who
// sees it with noise takes the nearest.
TEST(Attacker, BoundsWhoReconstructsOneOfSeveralRecords) {
  for (const double noise : {0.05, 0.3, 1.0, 4.0})
    for (const int records : {2, 3, 10}) {
      const double half = 0.5 / (records - 1) / noise;
      const double success = (2 * below(half) + (records - 2) * (2 * below(half) - 1)) / records;
      const Bracket found = true_positive_rate(Plan{Event(Gaussian{noise}), Adjacency::replace_one}, 1.0 / records);
      EXPECT_GE(found.upper, success) << noise << ' ' << records;
    }
}

// accounting/risk/proofs.md, 3.1
TEST(Posterior, IsThatOfBayes) {
  const Bracket found = posterior(0.25, 0.01, {0.02, 0.06});
  EXPECT_NEAR(found.lower, 0.25 * 0.02 / (0.25 * 0.02 + 0.75 * 0.01), 1e-13);
  EXPECT_NEAR(found.upper, 0.25 * 0.06 / (0.25 * 0.06 + 0.75 * 0.01), 1e-13);
  EXPECT_EQ(posterior(0.25, 0.01, {0, 1}).lower, 0);
  EXPECT_THROW(posterior(0, 0.01, {0, 1}), InvalidArgument);
  EXPECT_THROW(posterior(0.5, 1, {0, 1}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::risk
