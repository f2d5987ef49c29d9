#include "dpbudget/accounting/loss_distribution/releases/replaced_poisson_gaussian.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "accounting/base/nan.h"
#include "accounting/loss_distribution/pieces/pieces_checks.h"
#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/plan/language.h"
#include "mechanisms/refused.h"

namespace dpbudget::loss_distribution {
namespace {

using dpbudget::testing::log_uniform;
using dpbudget::testing::Precise;
using dpbudget::testing::upper_tail;

// log delta in 100 digits. Where the ratio of densities is E, y = e^(m t) solves B y^2 + A (1 - E) y - B E = 0.
double log_delta(double rate, double noise, double epsilon) {
  const Precise a = 1 - Precise(rate);
  const Precise m = 1 / (2 * Precise(noise));
  const Precise b = rate * exp(-m * m / 2);
  const Precise ratio = exp(Precise(epsilon));
  const Precise middle = a * (ratio - 1) / (2 * b);
  const Precise t = log(middle + sqrt(middle * middle + ratio)) / m;
  const auto above = [&](const Precise& mean) { return a * upper_tail(t) + rate * upper_tail(t - mean); };
  return static_cast<double>(log(above(m) - ratio * above(-m)));
}

void expect_pieces(double rate, double noise, const Cut& cut) {
  SCOPED_TRACE(::testing::Message() << "rate " << rate << " noise " << noise << " step " << cut.step);
  const Pieces pieces = replaced_poisson_gaussian_pieces(rate, noise, cut);
  testing::expect_little_left_out(pieces, cut);
  const auto profile = [&](double epsilon) { return log_delta(rate, noise, epsilon); };
  testing::expect_mechanism(pieces, 1 + pieces.pieces.size() / 8, profile, profile, 1e-9);
}

// accounting/loss_distribution/proofs.md, 4e.3
RC_GTEST_PROP(ReplacedPoissonGaussianPieces, HaveTheProfileOfTheirPair, ()) {
  const double rate = *rc::gen::arbitrary<bool>() ? log_uniform(1e-9, 1) : 1 - log_uniform(1e-12, 1);
  const double noise = log_uniform(0.05, 1e4);
  const double reach = (0.5 / noise + 12) / noise;  // of the unsampled losses
  const double step = log_uniform(1e-3, 0.3) * std::log1p(rate * std::expm1(std::min(reach / 2, 600.0)));
  expect_pieces(rate, noise, {step, log_uniform(1e-100, 1e-3)});
}

TEST(ReplacedPoissonGaussianPieces, HoldAtTheExtremes) {
  expect_pieces(1e-9, 0.05, {0.1, 1e-20});
  expect_pieces(1e-9, 1e5, {1e-15, 1e-20});
  expect_pieces(1 - 1e-15, 0.3, {1e-2, 1e-200});
  expect_pieces(0.2, 1e4, {1e-6, 1e-15});
  expect_pieces(0.5, 0.3, {1e-2, 1e-300});
  expect_pieces(0.3, 0.005, {50, 1e-9});
}

TEST(ReplacedPoissonGaussianPieces, AreTheGaussiansAtRateOne) {
  const Cut cut{0.1, 1e-9};
  EXPECT_EQ(replaced_poisson_gaussian_pieces(1, 0.7, cut).pieces.size(), gaussian_pieces(0.7, cut).pieces.size());
}

TEST(ReplacedPoissonGaussianPieces, RefuseWhatIsOutOfRange) {
  for (const double bad : {0.0, -0.1, 1.5, nan})
    EXPECT_THROW(replaced_poisson_gaussian_pieces(bad, 1, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(replaced_poisson_gaussian_pieces(0.1, 0, {0.1, 1e-9}), InvalidArgument);
  EXPECT_THROW(replaced_poisson_gaussian_pieces(0.1, 1, {1e-9, 1e-9}), Unsupported);
}

// The integral of (P - e^epsilon Q)_+ over the plane, both given by their densities.
template <class P, class Q>
double delta_in_plane(double noise, double epsilon, P&& p, Q&& q) {
  constexpr int points = 500;
  const double reach = 8 * noise + 1;
  const double step = 2 * reach / points;
  double sum = 0;
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j) {
      const double x = -reach + (i + 0.5) * step, y = -reach + (j + 0.5) * step;
      sum += std::max(0.0, p(x, y) - std::exp(epsilon) * q(x, y));
    }
  return sum * step * step;
}

double density(double squared_distance, double variance) {
  return std::exp(-squared_distance / (2 * variance)) / (2 * std::numbers::pi * variance);
}

Bound delta_of_plan(double rate, double noise, int count, double epsilon) {
  const Plan plan = parse_plan(fmt::format("{} x poisson({}, gaussian({})) under replace_one", count, rate, noise));
  return make_accountant(AccountantName::best, plan).value()->delta(1, epsilon).value().bound;
}

// accounting/loss_distribution/proofs.md, 4e.1
RC_GTEST_PROP(ReplacedPoissonGaussian, DominatesContributionsInEveryDirection, ()) {
  const double rate = *rc::gen::inRange(1, 100) / 100.0;
  const double noise = *rc::gen::inRange(3, 20) / 10.0;
  const double epsilon = *rc::gen::inRange(0, 10) / 10.0;
  const auto length = [] { return *rc::gen::inRange(0, 101) / 200.0; };
  const double before = length(), after = length();
  const double angle = *rc::gen::inRange(0, 181) * std::numbers::pi / 180;
  const auto sampled = [&](double x, double y, double at_x, double at_y) {
    const double s = noise * noise;
    return (1 - rate) * density(x * x + y * y, s) +
           rate * density((x - at_x) * (x - at_x) + (y - at_y) * (y - at_y), s);
  };
  const double attained = delta_in_plane(
      noise, epsilon, [&](double x, double y) { return sampled(x, y, before, 0); },
      [&](double x, double y) { return sampled(x, y, after * std::cos(angle), after * std::sin(angle)); });
  RC_ASSERT(attained <= delta_of_plan(rate, noise, 1, epsilon).upper + 1e-6);
}

// accounting/loss_distribution/proofs.md, 4e.1
RC_GTEST_PROP(ReplacedPoissonGaussian, IsAttainedByOppositeContributionsTwice, ()) {
  const double rate = *rc::gen::inRange(1, 100) / 100.0;
  const double noise = *rc::gen::inRange(3, 20) / 10.0;
  const double epsilon = *rc::gen::inRange(0, 10) / 10.0;
  const auto sampled = [&](double x, double y, double offset) {
    const auto one = [&](double t) {
      const double s = noise * noise, scale = std::sqrt(2 * std::numbers::pi * s);
      return (1 - rate) * density(t * t, s) * scale + rate * density((t - offset) * (t - offset), s) * scale;
    };
    return one(x) * one(y);
  };
  const double attained = delta_in_plane(
      noise, epsilon, [&](double x, double y) { return sampled(x, y, 0.5); },
      [&](double x, double y) { return sampled(x, y, -0.5); });
  const Bound bound = delta_of_plan(rate, noise, 2, epsilon);
  RC_ASSERT(bound.lower <= attained * (1 + 1e-3) + 1e-6);
  RC_ASSERT(bound.upper >= attained * (1 - 1e-3) - 1e-6);
}

Bound epsilon_of(const std::string& plan) {
  return make_accountant(AccountantName::best, parse_plan(plan + " under replace_one"))
      .value()
      ->epsilon(1, 1e-5)
      .value();
}

TEST(ReplacedPoissonGaussian, IsOneSampleWhereSamplesAreSampled) {
  const Bound nested = epsilon_of("100 x poisson(0.3, poisson(0.1, gaussian(1)))");
  const Bound merged = epsilon_of("100 x poisson(0.03, gaussian(1))");
  EXPECT_LE(nested.lower, merged.upper);
  EXPECT_GE(nested.upper, merged.lower);
  EXPECT_NEAR(nested.upper, merged.upper, 1e-4 * merged.upper);
}

// accounting/loss_distribution/proofs.md, 4e.2
RC_GTEST_PROP(ReplacedPoissonGaussian, GrowsWithTheRate, ()) {
  const double rate = *rc::gen::inRange(1, 99) / 100.0;
  const double larger = std::min(1.0, rate + *rc::gen::inRange(1, 40) / 100.0);
  const double noise = *rc::gen::inRange(3, 20) / 10.0;
  const double epsilon = *rc::gen::inRange(0, 10) / 10.0;
  RC_ASSERT(delta_of_plan(rate, noise, 1, epsilon).lower <= delta_of_plan(larger, noise, 1, epsilon).upper);
}

TEST(ReplacedPoissonGaussian, CostsLessThanToReplaceWhatIsCertainlyInTheSample) {
  EXPECT_LT(epsilon_of("10 x poisson(0.9, gaussian(1))").upper, epsilon_of("10 x gaussian(1)").lower);
  EXPECT_LE(epsilon_of("wor(0.5, 10 x poisson(0.9, gaussian(1)))").upper,
            epsilon_of("10 x poisson(0.9, gaussian(1))").upper);
}

TEST(ReplacedPoissonGaussian, IsRefusedWhereOnlyAGuaranteeIsKnown) {
  for (const std::string inner : {"gdp(1)", "laplace(1)", "gaussian(1) + gdp(1)", "gaussian(1) + pure(1)"})
    EXPECT_REFUSED("no accountant has a theorem for `poisson(0.1, ", epsilon_of("poisson(0.1, " + inner + ")"));
}

}  // namespace
}  // namespace dpbudget::loss_distribution
