#include "dpbudget/accounting/renyi/poisson_gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "accounting/random_event.h"
#include "accounting/renyi/reference.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::renyi {
namespace {

using testing::MorePrecise;
using testing::Precise;

// Integer orders: the finite sum of Mironov, Talwar and Zhang, in 100 digits.
MorePrecise integer_truth(double q, double s, int order) {
  const MorePrecise rate = q;
  const MorePrecise noise = s;
  MorePrecise sum = 0;
  MorePrecise binomial = 1;
  for (int k = 0; k <= order; ++k) {
    sum += binomial * pow(1 - rate, order - k) * pow(rate, k) * exp(MorePrecise(k) * (k - 1) / (2 * noise * noise));
    binomial = binomial * (order - k) / (k + 1);
  }
  return log(sum) / (order - 1);
}

// accounting/numeric/proofs.md, 1.2; accounting/renyi/proofs.md, 1.1, 2.1, 2.2 and 2.3
RC_GTEST_PROP(PoissonGaussian, IsTheFiniteSumAtIntegerOrders, ()) {
  const double q = dpbudget::testing::log_uniform(1e-9, 0.999999);
  const double s = dpbudget::testing::log_uniform(0.05, 1e4);
  const int order = *rc::gen::inRange(2, 300);
  const MorePrecise truth = integer_truth(q, s, order);
  const double value = poisson_gaussian(q, s, order);
  RC_ASSERT(static_cast<double>(abs(value / truth - 1)) < 1e-11);
  const double upper = (*poisson_gaussian_curve(q, s))(order);
  RC_ASSERT(upper >= truth);
  RC_ASSERT(static_cast<double>(upper / truth - 1) < 1e-9);
}

// accounting/renyi/proofs.md, 2.1, 2.2 and 2.3
TEST(PoissonGaussian, IsTheIntegralAtRealOrdersInBothDirections) {
  for (const double q : {1e-6, 0.6})
    for (const double s : {0.3, 4.0})
      for (const double order : {1.0001, 5.25}) {
        const double forward = testing::mixture_divergence(q, s, 1, 0, order);
        const double reverse = testing::mixture_divergence(q, s, 0, 1, order);
        EXPECT_NEAR(poisson_gaussian(q, s, order) / forward, 1, 1e-11) << q << " " << s << " " << order;
        EXPECT_NEAR(poisson_gaussian_reverse(q, s, order) / reverse, 1, 1e-11) << q << " " << s << " " << order;
        EXPECT_GE((*poisson_gaussian_curve(q, s))(order), forward);
      }
}

RC_GTEST_PROP(PoissonGaussian, IsTheLargerDirectionMonotoneAndBelowTheGaussian, ()) {
  const double q = dpbudget::testing::log_uniform(1e-9, 0.99);
  const double s = dpbudget::testing::log_uniform(0.2, 1e3);
  const double order = 1 + dpbudget::testing::log_uniform(1e-3, 100);
  const double value = poisson_gaussian(q, s, order);
  const double slack = 1 + 1e-10;
  RC_ASSERT(value * slack >= poisson_gaussian_reverse(q, s, order));
  RC_ASSERT(value <= order / (2 * s * s) * slack);
  RC_ASSERT(poisson_gaussian(q, s, order * 1.01) * slack >= value);
  RC_ASSERT(poisson_gaussian(std::min(1.0, q * 1.01), s, order) * slack >= value);
  RC_ASSERT(poisson_gaussian(q, s * 1.01, order) <= value * slack);
}

// accounting/renyi/proofs.md, 2.4
TEST(PoissonGaussian, MeetsMinkowskisBoundWhereTheComponentsAreApart) {
  // One order on either side of the switch between quadrature and inequality.
  const double q = 0.01;
  const double s = 0.5;
  const double order = 1 + 2 * s * s * (50 - std::log(q));
  EXPECT_NEAR(poisson_gaussian(q, s, order * (1 - 1e-9)) / poisson_gaussian(q, s, order * (1 + 1e-9)), 1, 1e-8);
}

TEST(PoissonGaussian, ReverseKeepsItsLinearPartWhereTheRatioOverflows) {
  // As the noise vanishes, D_a(N0 || mixture) tends to -log(1 - q).
  for (const double order : {1.5, 2.0, 7.0})
    EXPECT_NEAR(poisson_gaussian_reverse(0.01, 0.03, order) * (order - 1) / order,
                -std::log1p(-0.01) * (order - 1) / order, 1e-6);
}

TEST(PoissonGaussian, KeepsDigitsAtTheEdges) {
  const double tiny = (*poisson_gaussian_curve(1e-170, 1))(2);
  EXPECT_GT(tiny, 0);
  EXPECT_LT(tiny, 1e-300);
  EXPECT_EQ(poisson_gaussian(0, 1, 2), 0);
  EXPECT_EQ(poisson_gaussian(1, 2, 3), 3.0 / 8);
  EXPECT_NEAR(poisson_gaussian(1e-6, 1e3, 2) / 1.000000500000166575704511242e-18, 1, 1e-12);
  // So small a noise that the quadrature gives way: still a bound, and below the Gaussian's.
  const double bound = (*poisson_gaussian_curve(0.1, 1e-6))(1 + 1e-14);
  EXPECT_TRUE(std::isfinite(bound));
  EXPECT_LE(bound, (1 + 1e-14) / 2e-12 * (1 + 1e-10));
}

TEST(PoissonGaussian, RefusesBadInputByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-0.1, 1.1, nan}) {
    EXPECT_THROW(poisson_gaussian(bad, 1, 2), InvalidArgument);
    EXPECT_THROW(poisson_gaussian_curve(bad, 1), InvalidArgument);
    EXPECT_THROW(poisson_gaussian_reverse(bad, 1, 2), InvalidArgument);
  }
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_THROW(poisson_gaussian(0.1, bad, 2), InvalidArgument);
    EXPECT_THROW(poisson_gaussian_curve(0.1, bad), InvalidArgument);
  }
  for (const double bad : {1.0, 0.5, nan, infinity}) EXPECT_THROW(poisson_gaussian(0.1, 1, bad), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::renyi
