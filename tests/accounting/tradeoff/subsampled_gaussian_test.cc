#include "dpbudget/accounting/tradeoff/subsampled_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "accounting/numeric/normal_law.h"
#include "accounting/random_event.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/tradeoff/gaussian.h"
#include "dpbudget/accounting/tradeoff/operations.h"

namespace dpbudget::tradeoff {
namespace {

using testing::log_uniform;
using testing::Precise;

// Both (x, y) and (y, x) are on the curve, x = P(Z > t) and y = f_p(x), t >= mu / 2. Rounding of x or y to a double is
// allowed for by its two neighbours.
RC_GTEST_PROP(SubsampledGaussianTradeOff, GoesThroughItsPointsAndTheirMirrorImages, ()) {
  const double mu = log_uniform(1e-3, 60);
  const double p = *rc::gen::arbitrary<bool>() ? log_uniform(1e-9, 1) : 1 - log_uniform(1e-12, 1);
  const Precise t = mu / 2 + log_uniform(1e-3, 30);
  const Precise x = testing::upper_tail(t);
  const Precise y = p * testing::upper_tail(mu - t) + (1 - Precise(p)) * (1 - x);
  const auto expect = [&](const Precise& a, const Precise& b) {
    const auto at = static_cast<double>(a);
    RC_PRE(0 < at && at < 1 && b > 1e-290);
    const double below = subsampled_gaussian_log_type_two_error(p, mu, std::nextafter(at, 1.0));
    const double above = subsampled_gaussian_log_type_two_error(p, mu, std::nextafter(at, 0.0));
    const double error = 1e-12 * (1 + std::abs(static_cast<double>(log(b))));
    RC_ASSERT(below <= log(b) + error);
    RC_ASSERT(above >= log(b) - error);
  };
  expect(x, y);
  expect(y, x);
}

RC_GTEST_PROP(SubsampledGaussianTradeOff, HasSlopeMinusOneBetween, ()) {
  const double mu = log_uniform(1e-3, 30);
  const double p = log_uniform(1e-6, 1 - 1e-6);
  const Precise x = testing::upper_tail(Precise(mu) / 2);
  const Precise y = p * x + (1 - Precise(p)) * (1 - x);
  const double share = log_uniform(1e-6, 1);
  const auto a = static_cast<double>(x + (y - x) * share);
  RC_PRE(x < a && a < y);
  RC_ASSERT(testing::log_error(subsampled_gaussian_log_type_two_error(p, mu, a), x + y - a) < 1e-12);
}

TEST(SubsampledGaussianTradeOff, IsTheGaussianAtRateOneAndTheIdentityAtRateZero) {
  for (const double a : {1e-300, 1e-80, 1e-30, 0.3, 1 - 1e-15}) {
    EXPECT_EQ(subsampled_gaussian_log_type_two_error(1, 40, a), gaussian_log_type_two_error(40, a));
    EXPECT_EQ(subsampled_gaussian_log_type_two_error(0, 40, a), std::log1p(-a));
    EXPECT_EQ(subsampled_gaussian_log_type_two_error(0.5, 0, a), std::log1p(-a));
  }
  EXPECT_EQ(subsampled_gaussian_log_type_two_error(0.5, 1, 0), 0);
  EXPECT_EQ(subsampled_gaussian_log_type_two_error(0.5, 1, 1), -infinity);
}

// At a = 1 - p the line is 2 p x* high, where x* is far below what any double holds.
TEST(SubsampledGaussianTradeOff, HoldsWhereTheFixedPointUnderflows) {
  const double mu = 400;
  const double log_fixed_point = gaussian_log_type_two_error(mu / 2, 0.5);
  EXPECT_NEAR(subsampled_gaussian_log_type_two_error(0.75, mu, 0.25), std::log(1.5) + log_fixed_point, 1e-8);
}

// The moments by their definition, from differences of the curve.
TEST(LossMoments, AreThoseOfTheSlopeOfTheCurve) {
  for (const auto& [p, mu] : {std::pair{0.3, 1.5}, {0.05, 1.0}, {0.9, 0.7}}) {
    const TradeOffPtr f = subsampled(gaussian(mu), p);
    const double fixed_point = std::exp(gaussian_log_type_two_error(mu / 2, 0.5));
    const double mirrored = f->type_two_error(fixed_point);
    const auto log_slope = [&](double a) {
      const double h = 1e-5 * std::min(a, 1 - a);
      return a < 0.5 ? std::log((f->power(a + h) - f->power(a - h)) / (2 * h))
                     : std::log((f->type_two_error(a - h) - f->type_two_error(a + h)) / (2 * h));
    };
    // a = 1 / (1 + e^-u); the two curved parts, and what the straight one adds.
    const auto integral = [&](const auto& of_log_slope) {
      const auto integrand = [&](double u) {
        const double a = 1 / (1 + std::exp(-u));
        return of_log_slope(log_slope(a)) * a * (1 - a);
      };
      const auto odds = [](double a) { return std::log(a / (1 - a)); };
      using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
      return Rule::integrate(integrand, -18, odds(fixed_point) - 1e-4, 6, 1e-6) +
             Rule::integrate(integrand, odds(mirrored) + 1e-4, 18, 6, 1e-6) +
             of_log_slope(0) * (mirrored - fixed_point);
    };
    const LossMoments found = subsampled_gaussian_moments(p, mu);
    EXPECT_NEAR(integral([](double l) { return -l; }) / found.kl, 1, 2e-4);
    EXPECT_NEAR(integral([](double l) { return l * l; }) / found.second, 1, 2e-4);
    EXPECT_NEAR(integral([&](double l) { return std::pow(std::abs(l + found.kl), 3); }) / found.third_centred, 1, 1e-3);
  }
}

TEST(LossMoments, AreThoseOfTheGaussianAtRateOne) {
  for (const double mu : {1e-3, 1.0, 8.0, 200.0}) {
    const LossMoments found = subsampled_gaussian_moments(1, mu);
    EXPECT_NEAR(found.kl / (mu * mu / 2), 1, 1e-12);
    EXPECT_NEAR(found.second / (mu * mu + std::pow(mu, 4) / 4), 1, 1e-12);
    EXPECT_NEAR(found.variance / (mu * mu), 1, 1e-12);
    EXPECT_NEAR(found.third_centred / (std::pow(mu, 3) * 2 * std::sqrt(2 / std::acos(-1.0))), 1, 1e-12);
  }
}

TEST(SubsampledGaussianTradeOff, RefusesWhatIsOutOfRange) {
  const double nan = std::nan("");
  for (const double bad : {-0.1, 1.1, nan}) {
    EXPECT_THROW(subsampled_gaussian_log_type_two_error(bad, 1, 0.5), InvalidArgument);
    EXPECT_THROW(subsampled_gaussian_log_type_two_error(0.5, 1, bad), InvalidArgument);
    EXPECT_THROW(subsampled_gaussian_moments(bad, 1), InvalidArgument);
  }
  for (const double bad : {-0.1, infinity, nan}) {
    EXPECT_THROW(subsampled_gaussian_log_type_two_error(0.5, bad, 0.5), InvalidArgument);
    EXPECT_THROW(subsampled_gaussian_moments(0.5, bad), InvalidArgument);
  }
  EXPECT_THROW(subsampled_gaussian_moments(0.5, 1001), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::tradeoff
