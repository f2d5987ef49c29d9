#include "dpbudget/accounting/renyi/without_replacement_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "accounting/random_event.h"
#include "accounting/renyi/reference.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/renyi/without_replacement.h"

namespace dpbudget::renyi {
namespace {

using testing::Precise;

Precise upper_tail(const Precise& x) { return boost::math::erfc(x / sqrt(Precise(2))) / 2; }

// The moment as an integral over the hockey-stick profile of C_q(G_{1/s}), t = e^y from 1 on:
// a (a-1) (t^{a-2} + t^{-a-1}) q H_{1 + (t-1)/q} dt.
double from_profile(double q, double s, double order) {
  const Precise mu = 1 / Precise(s);
  const Precise a = order;
  const auto integrand = [&](const Precise& y) -> Precise {
    const Precise t = exp(y);
    const Precise inside = 1 + expm1(y) / q;
    const Precise level = log(inside);
    const Precise profile = upper_tail(level / mu - mu / 2) - inside * upper_tail(level / mu + mu / 2);
    return a * (a - 1) * (pow(t, a - 1) + pow(t, -a)) * q * profile;
  };
  // The profile dies beyond y = log(1 + q (e^l - 1)) with l = mu^2/2 + 14 mu; the power shifts it by a mu^2.
  const double m = 1 / s;
  const double level = m * m / 2 + 14 * m + order * m * m;
  const double end = std::log1p(q * std::expm1(level));
  Precise sum = 0;
  // Graded panels: the profile varies on the scale of q near y = 0.
  double low = 0;
  for (double high = end * 1e-4; low < end; high = std::min(end, high * 1.3)) {
    sum += boost::math::quadrature::gauss_kronrod<Precise, 61>::integrate(integrand, Precise(low), Precise(high), 0);
    low = high;
    if (high == end) break;
  }
  return testing::divergence(sum, order);
}

// accounting/renyi/proofs.md, 5.2 and 5.3
TEST(WithoutReplacementGaussian, IsTheIntegralOverTheProfile) {
  for (const double q : {0.001, 0.2, 0.9})
    for (const double s : {0.7, 40.0})
      for (const double order : {1.01, 7.5}) {
        const double truth = from_profile(q, s, order);
        EXPECT_NEAR(without_replacement_gaussian(q, s, order) / truth, 1, 1e-9) << q << " " << s << " " << order;
        EXPECT_GE((*without_replacement_gaussian_curve(q, s))(order), truth * (1 - 1e-12))
            << q << " " << s << " " << order;
      }
}

// The mechanism itself, in one dimension: other records contribute v, the replaced one x or x', each within 1 of the
// others; a sample that misses the record leaves the output where it is. Every such pair is below the curve.
// accounting/renyi/proofs.md, 5.1
TEST(WithoutReplacementGaussian, IsNeverBelowAMechanismThatRuns) {
  for (const double q : {0.05, 0.7})
    for (const double s : {0.5, 20.0})
      for (const double order : {1.3, 12.0}) {
        const double curve = (*without_replacement_gaussian_curve(q, s))(order);
        for (const auto& [a, b] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {0.5, -0.5}, {-0.25, 0.75}, {1.0, 0.5}})
          EXPECT_LE(testing::mixture_divergence(q, s, a, b, order), curve * (1 + 1e-12))
              << q << " " << s << " " << order << " " << a << " " << b;
      }
}

RC_GTEST_PROP(WithoutReplacementGaussian, IsTighterThanTheTheoremForCurves, ()) {
  const double q = dpbudget::testing::log_uniform(1e-6, 0.99);
  const double s = dpbudget::testing::log_uniform(0.3, 1e3);
  const int order = *rc::gen::inRange(2, 200);
  const double tight = without_replacement_gaussian(q, s, order);
  RC_ASSERT(tight <= without_replacement_gaussian_uncapped(q, s, order, true) * (1 + 1e-9));
  RC_ASSERT(tight <= order / (2 * s * s) * (1 + 1e-9));
}

RC_GTEST_PROP(WithoutReplacementGaussian, IsMonotoneInOrderRateAndNoise, ()) {
  const double q = dpbudget::testing::log_uniform(1e-6, 0.9);
  const double s = dpbudget::testing::log_uniform(0.1, 1e3);
  const double order = 1 + dpbudget::testing::log_uniform(1e-3, 200);
  const double slack = 1 + 1e-9;
  const double value = without_replacement_gaussian(q, s, order);
  RC_ASSERT(value > 0);
  RC_ASSERT(without_replacement_gaussian(q, s, order * 1.01) * slack >= value);
  RC_ASSERT(without_replacement_gaussian(q * 1.01, s, order) * slack >= value);
  RC_ASSERT(without_replacement_gaussian(q, s * 1.01, order) <= value * slack);
  const double upper = (*without_replacement_gaussian_curve(q, s))(order);
  RC_ASSERT(upper >= value && upper <= value * slack);
}

TEST(WithoutReplacementRandomizedResponse, BoundsTheEnumeratedMechanism) {
  // Two records, one of which is sampled: q = 1/2; the other record says 0 or 1, the replaced one 1 against 0.
  for (const double epsilon : {0.1, 1.0, 3.0})
    for (const double order : {1.5, 2.0, 8.0, 40.0}) {
      const double p = std::exp(epsilon) / (1 + std::exp(epsilon));
      for (const int other : {0, 1}) {
        const double one = (p + (other == 1 ? p : 1 - p)) / 2;         // P(output 1), replaced record says 1
        const double zero = ((1 - p) + (other == 1 ? p : 1 - p)) / 2;  // P(output 1), replaced record says 0
        const double moment =
            std::pow(one, order) * std::pow(zero, 1 - order) + std::pow(1 - one, order) * std::pow(1 - zero, 1 - order);
        const double curve = (*without_replacement_randomized_response_curve(0.5, epsilon, 2))(order);
        EXPECT_LE(std::log(moment) / (order - 1), curve * (1 + 1e-12)) << epsilon << " " << order;
        EXPECT_LE(curve, std::log1p(0.5 * std::expm1(epsilon)) * (1 + 1e-12));
      }
    }
}

// Where terms leave the range of a double, by quadrature in 110 digits.
TEST(WithoutReplacementGaussian, KeepsBothHalvesWhereTermsOverflow) {
  const double curve = (*without_replacement_gaussian_curve(0.5, 0.03))(1.001);
  EXPECT_GE(curve, 315.78442822432);
  EXPECT_LE(curve, 315.78443);
  for (const double s : {0.03, 0.05, 0.07}) {
    // On either side of the overflow the value moves by what the order moves it.
    const double order = 1 + 600 * s * s;
    EXPECT_NEAR(without_replacement_gaussian(0.5, s, order * (1 + 1e-9)) / without_replacement_gaussian(0.5, s, order),
                1, 1e-6);
  }
}

TEST(WithoutReplacementGaussian, IsTightForLargeNoiseAndHighOrders) {
  for (const auto& [q, s, order] :
       {std::tuple{1e-3, 1e10, 30.0}, {0.5, 100.0, 6e5}, {0.9, 30.0, 8e4}, {1e-9, 1e4, 2.0}}) {
    const double value = without_replacement_gaussian(q, s, order);
    const double upper = (*without_replacement_gaussian_curve(q, s))(order);
    EXPECT_GE(upper, value);
    EXPECT_LE(upper, value * (1 + 1e-10)) << q << " " << s << " " << order;
  }
  // So small a rate that its square underflows: above 0 still.
  const double upper = (*without_replacement_gaussian_curve(1e-170, 1))(2);
  EXPECT_GT(upper, 0);
  EXPECT_LT(upper, 1e-300);
}

TEST(WithoutReplacementGaussian, HasItsEdges) {
  EXPECT_EQ(without_replacement_gaussian(0, 1, 2), 0);
  EXPECT_EQ(without_replacement_gaussian(1, 2, 3), 3.0 / 8);
  EXPECT_THROW(without_replacement_gaussian(1.5, 1, 2), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian(0.5, 0, 2), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian(0.5, 1, 1), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian_curve(-0.5, 1), InvalidArgument);
  EXPECT_THROW(without_replacement_randomized_response_curve(0.5, -1, 2), InvalidArgument);
  EXPECT_THROW(without_replacement_randomized_response_curve(0.5, 1, 1), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::renyi
