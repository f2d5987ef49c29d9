#include "dpbudget/accounting/tradeoff/operations.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "accounting/tradeoff/finite_tests.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/profile/subsampled_gaussian.h"
#include "dpbudget/accounting/tradeoff/bracketed.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"
#include "dpbudget/accounting/tradeoff/subsampled_gaussian.h"
#include "dpbudget/accounting/tradeoff/tensor.h"

namespace dpbudget::tradeoff {
namespace {

using testing::log_uniform;
using testing::Outcomes;
using testing::random_outcomes;
using testing::type_one_errors;

const std::vector<double> some_errors = {0, 1e-3, 0.05, 0.2, 0.5, 0.8, 0.99};

std::shared_ptr<const BracketedTradeOff> bracketed(const std::vector<Factor>& factors, double tolerance) {
  return std::dynamic_pointer_cast<const BracketedTradeOff>(tensor(factors, tolerance));
}

PiecewiseLinearPtr response(double epsilon, double delta) {
  const double truth = (1 - delta) / (1 + std::exp(-epsilon));
  const double lie = (1 - delta) / (1 + std::exp(epsilon));
  return PiecewiseLinear::from_outcomes({{0, delta}, {lie, truth}, {truth, lie}, {delta, 0}});
}

// accounting/tradeoff/proofs.md, 2.1 and 2.2
RC_GTEST_PROP(Subsampled, OfTheGaussianHasItsClosedForm, ()) {
  const double p = *rc::gen::arbitrary<bool>() ? log_uniform(1e-6, 1) : 1 - log_uniform(1e-9, 1);
  const double mu = log_uniform(1e-3, 8);
  const TradeOffPtr f = subsampled(gaussian(mu), p);
  const double a = log_uniform(1e-12, 1);
  for (const double error : {a, 1 - a}) {
    const double truth = std::exp(subsampled_gaussian_log_type_two_error(p, mu, error));
    RC_ASSERT(std::abs(f->type_two_error(error) - truth) <= 1e-10 * truth);
  }
  const double epsilon = log_uniform(1e-3, 3) * p;
  RC_ASSERT(std::abs(f->log_delta(epsilon) - profile::subsampled_gaussian_log_delta(p, mu, epsilon)) < 1e-10);
}

RC_GTEST_PROP(Subsampled, AgreesWithThePolygons, ()) {
  const double epsilon = log_uniform(1e-3, 4);
  const double delta = log_uniform(1e-6, 0.5);
  const double p = log_uniform(1e-3, 1);
  const TradeOffPtr f = subsampled(approximate(epsilon, delta), p);
  const TradeOffPtr polygon = subsampled(response(epsilon, delta), p);
  for (const double a : type_one_errors())
    RC_ASSERT(std::abs(f->type_two_error(a) - polygon->type_two_error(a)) < 1e-12);
}

TEST(Subsampled, IsTheIdentityAtRateZeroAndTheFunctionAtRateOne) {
  for (const TradeOffPtr& f : {gaussian(1), laplace(2), TradeOffPtr(response(1, 0.1))})
    for (const double a : type_one_errors()) {
      EXPECT_NEAR(subsampled(f, 0)->type_two_error(a), 1 - a, 1e-15);
      EXPECT_NEAR(subsampled(f, 1)->type_two_error(a), f->type_two_error(a), 1e-15);
    }
}

TEST(Subsampled, GrowsWithTheRateInWhatItGivesAway) {
  for (const double a : some_errors)
    for (const auto& f : {gaussian(2), laplace(2)})
      EXPECT_GE(subsampled(f, 0.1)->type_two_error(a), subsampled(f, 0.2)->type_two_error(a));
}

// C_p of something lopsided: of a pair that is not its own reverse only polygons are supported.
TEST(Subsampled, RefusesWhatItCannotMirror) {
  const auto lopsided = PiecewiseLinear::from_outcomes({{0.2, 0.1}, {0.3, 0.8}, {0.5, 0.1}});
  EXPECT_NO_THROW(subsampled(lopsided, 0.5));
  const TradeOffPtr product = tensor({{lopsided, 1}, {laplace(1), 1}}, 1e-2);
  EXPECT_FALSE(product->is_symmetric());
  EXPECT_THROW(subsampled(product, 0.5), Unsupported);
  for (const double bad : {-0.1, 1.1, std::nan("")}) EXPECT_THROW(subsampled(gaussian(1), bad), InvalidArgument);
}

TEST(Maximum, IsWhatBothGuarantee) {
  const TradeOffPtr f = gaussian(1);
  const TradeOffPtr g = approximate(0, 0.2);
  const TradeOffPtr both = maximum(f, g);
  for (const double a : type_one_errors()) {
    EXPECT_EQ(both->type_two_error(a), std::max(f->type_two_error(a), g->type_two_error(a)));
    EXPECT_EQ(both->power(a), std::min(f->power(a), g->power(a)));
  }
  for (const double epsilon : {0.0, 0.5, 2.0}) {
    double gap = 0;  // of the maximum itself
    for (int i = 0; i <= 10000; ++i)
      gap = std::max(gap, 1 - both->type_two_error(i / 1e4) - std::exp(epsilon) * i / 1e4);
    EXPECT_GE(std::exp(both->log_delta(epsilon)), gap - 1e-15);
  }
  EXPECT_THROW(tensor({{both, 2}}), Unsupported);
}

TEST(Tensor, OfGaussiansIsAGaussian) {
  const auto product = std::dynamic_pointer_cast<const GaussianTradeOff>(
      tensor({{gaussian(0.3), 16}, {gaussian(2), 1}, {laplace(1), 0}}));
  ASSERT_TRUE(product);
  EXPECT_DOUBLE_EQ(product->mu(), std::sqrt(16 * 0.09 + 4));
}

RC_GTEST_PROP(Tensor, OfFewOutcomesIsExact, ()) {
  const Outcomes left = random_outcomes(4);
  const Outcomes right = random_outcomes(5);
  const Outcomes together = testing::product_of(testing::product_of(left, left), right);
  const TradeOffPtr product =
      tensor({{PiecewiseLinear::from_outcomes(left), 2}, {PiecewiseLinear::from_outcomes(right), 1}});
  for (const double a : some_errors)
    RC_ASSERT(std::abs(product->type_two_error(a) - testing::least_type_two_error(together, a)) < 1e-12);
}

void expect_around(const BracketedTradeOff& product, const std::function<double(double)>& truth, double tolerance) {
  for (const double a : some_errors) {
    EXPECT_LE(product.type_two_error(a), truth(a) + 1e-13) << a;
    EXPECT_GE(product.greatest_type_two_error(a), truth(a) - 1e-13) << a;
    EXPECT_LE(product.greatest_type_two_error(a) - product.type_two_error(a), tolerance * (1 + 1e-9)) << a;
    EXPECT_GE(product.power(a), 1 - truth(a) - 1e-13) << a;
  }
}

// Too many outcomes for the exact product here, not for a sweep.
// accounting/tradeoff/proofs.md, 3.1
TEST(Tensor, OfManyOutcomesIsBracketed) {
  const Outcomes lopsided = {{0.2, 0.1}, {0.3, 0.75}, {0.5, 0.1}, {0, 0.05}};
  Outcomes all = {{1, 1}};
  for (int i = 0; i < 6; ++i) all = testing::product_of(all, lopsided);
  const Outcomes other = {{0.45, 0.55}, {0.55, 0.45}};
  for (int i = 0; i < 4; ++i) all = testing::product_of(all, other);
  const auto product =
      bracketed({{PiecewiseLinear::from_outcomes(lopsided), 6}, {PiecewiseLinear::from_outcomes(other), 4}}, 1e-4);
  ASSERT_TRUE(product);
  EXPECT_FALSE(product->is_symmetric());
  expect_around(*product, [&](double a) { return testing::swept_type_two_error(all, a); }, 1e-4);
  for (const double epsilon : {-0.5, 0.0, 1.0, 3.0})
    EXPECT_GE(std::exp(product->log_delta(epsilon)), testing::delta_of(all, epsilon) - 1e-13);
}

TEST(Tensor, OfARepeatedResponseIsThatOfTheBinomialLaw) {
  const double epsilon = 0.2;
  Outcomes counts;  // of 60 answers, those that are true
  for (int k = 0; k <= 60; ++k) {
    const double choose = std::exp(std::lgamma(61.0) - std::lgamma(k + 1.0) - std::lgamma(61.0 - k));
    const double truth = 1 / (1 + std::exp(-epsilon));
    counts.push_back({choose * std::pow(1 - truth, k) * std::pow(truth, 60 - k),
                      choose * std::pow(truth, k) * std::pow(1 - truth, 60 - k)});
  }
  const auto product = bracketed({{approximate(epsilon, 0), 60}}, 1e-6);
  ASSERT_TRUE(product);
  expect_around(*product, [&](double a) { return testing::swept_type_two_error(counts, a); }, 1e-6);
}

// Sums of losses under the hypothesis, drawn; of a symmetric pair they tell the other hypothesis too, mirrored. The
// error at a threshold c is P(S >= -c), where P(S > c) is the type I error.
template <class Draw>
void expect_around_drawn(const BracketedTradeOff& product, int count, const Draw& draw) {
  constexpr int draws = 100000;
  std::mt19937_64 random(20260101);
  std::vector<double> sums(draws);
  for (double& sum : sums)
    for (int i = 0; i < count; ++i) sum += draw(random);
  const auto share_above = [&](double c) {
    return static_cast<double>(std::ranges::count_if(sums, [=](double s) { return s > c; })) / draws;
  };
  for (const double c : {-1.0, -0.3, 0.0, 0.4, 1.2}) {
    const double a = share_above(c);
    const double b = share_above(-c);
    // Five standard deviations of either share: a chance below 1e-5 to be outside, were the seed not fixed.
    const double ranges = 5 * std::sqrt(0.25 / draws);
    EXPECT_LE(product.type_two_error(std::min(1.0, a + ranges)), b + ranges);
    EXPECT_GE(product.greatest_type_two_error(std::max(0.0, a - ranges)), b - ranges);
  }
}

// accounting/tradeoff/proofs.md, 3.1
TEST(Tensor, OfLaplaceIsBracketed) {
  const double epsilon = 0.3;
  const auto product = bracketed({{laplace(epsilon), 10}}, 1e-4);
  ASSERT_TRUE(product);
  for (const double a : type_one_errors())
    EXPECT_LE(product->greatest_type_two_error(a) - product->type_two_error(a), 1.01e-4);
  expect_around_drawn(*product, 10, [&](std::mt19937_64& random) {
    std::exponential_distribution<double> size;
    const double noise = (random() % 2 == 0 ? 1 : -1) * size(random);
    return std::abs(noise) - std::abs(noise - epsilon);
  });
}

TEST(Tensor, OfSampledGaussiansIsBracketed) {
  const double p = 0.1;
  const double mu = 1;
  const auto product = bracketed({{subsampled(gaussian(mu), p), 20}}, 1e-4);
  ASSERT_TRUE(product);
  for (const double a : type_one_errors())
    EXPECT_LE(product->greatest_type_two_error(a) - product->type_two_error(a), 1.01e-4);
  // The loss of C_p(G_mu) at a uniform type I error: l above x*, 0 on the line, and -l with the density of the mixture.
  const double fixed_point = numeric::upper_tail(mu / 2);
  const double mirrored = p * (1 - fixed_point) + (1 - p) * fixed_point;
  expect_around_drawn(*product, 20, [&](std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const auto loss = [&](double t) { return std::log1p(p * std::expm1(mu * (t - mu / 2))); };
    if (const double t = normal(random); t > mu / 2) return loss(t);
    if (uniform(random) > mirrored / (1 - fixed_point)) return 0.0;
    for (;;) {
      const double t = normal(random) + (uniform(random) < p ? mu : 0);
      if (t > mu / 2) return -loss(t);
    }
  });
}

TEST(Tensor, OfDifferentKindsCommutesAndGivesAwayMoreThanEach) {
  const std::vector<Factor> factors = {
      {laplace(0.3), 5}, {approximate(0.17, 1e-3), 3}, {subsampled(gaussian(1), 0.2), 4}};
  const auto product = bracketed(factors, 1e-3);
  const auto reversed = bracketed({factors.rbegin(), factors.rend()}, 1e-3);
  ASSERT_TRUE(product && reversed);
  EXPECT_TRUE(product->is_symmetric());
  for (const double a : type_one_errors()) {
    EXPECT_LE(product->type_two_error(a), reversed->greatest_type_two_error(a));
    EXPECT_LE(reversed->type_two_error(a), product->greatest_type_two_error(a));
    EXPECT_NEAR(product->type_two_error(a), reversed->type_two_error(a), 1.01e-3);
    for (const Factor& factor : factors)
      EXPECT_LE(product->type_two_error(a), factor.trade_off->type_two_error(a) + 1e-13);
  }
  for (const double epsilon : {0.0, 0.2, 1.0})
    for (const Factor& factor : factors)
      EXPECT_GE(product->log_delta(epsilon), factor.trade_off->log_delta(epsilon) - 1e-12);
}

// A product inside a product stays bracketed by both of its bounds, a sample of it too.
// accounting/tradeoff/proofs.md, 2.3 and 3.2
TEST(Tensor, OfProductsIsThatOfAllFactors) {
  const TradeOffPtr third = tensor({{laplace(0.3), 4}}, 1e-2);
  const auto whole = bracketed({{laplace(0.3), 12}}, 1e-4);
  const auto nested = bracketed({{third, 3}}, 0.1);
  ASSERT_TRUE(whole && nested);
  for (const double a : type_one_errors()) {
    EXPECT_LE(nested->type_two_error(a), whole->greatest_type_two_error(a));
    EXPECT_GE(nested->greatest_type_two_error(a), whole->type_two_error(a));
  }
  const TradeOffPtr polygon = tensor({{subsampled(tensor({{response(0.3, 0), 4}}), 0.2), 3}});
  const auto sampled = bracketed({{subsampled(tensor({{approximate(0.3, 0), 4}}), 0.2), 3}}, 0.1);
  ASSERT_TRUE(sampled);
  for (const double a : type_one_errors()) {
    EXPECT_LE(sampled->type_two_error(a), polygon->type_two_error(a) + 1e-13);
    EXPECT_GE(sampled->greatest_type_two_error(a), polygon->type_two_error(a) - 1e-13);
  }
}

TEST(Tensor, OfLossesThatOverflowKeepsItsEnd) {
  const auto product = bracketed({{approximate(800, 0.1), 1}}, 1e-4);
  EXPECT_NEAR(product->type_two_error(0), 0.9, 1e-12);
  EXPECT_GE(product->greatest_type_two_error(0), 0.9);
}

TEST(Tensor, OfIdentitiesIsTheIdentity) {
  const TradeOffPtr identity = PiecewiseLinear::from_vertices({{0, 1}, {1, 0}});
  const TradeOffPtr product = tensor({{identity, std::uint64_t{1} << 53}, {response(1, 0), 1}});
  for (const double a : type_one_errors())
    EXPECT_NEAR(product->type_two_error(a), approximate(1, 0)->type_two_error(a), 1e-15);
}

TEST(Tensor, OfWhatGivesEverythingAwayIsNothing) {
  for (const auto& product : {tensor({{approximate(0, 1), 3}}), tensor({{laplace(1), 5}, {approximate(2, 1), 1}})})
    for (const double a : type_one_errors()) EXPECT_LE(product->type_two_error(a), 0);
}

TEST(Tensor, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(tensor({}), InvalidArgument);
  EXPECT_THROW(tensor({{laplace(1), 0}}), InvalidArgument);
  EXPECT_THROW(tensor({{laplace(1), (std::uint64_t{1} << 53) + 1}}), InvalidArgument);
  for (const double bad : {0.0, 1.0, -1.0, std::nan("")}) EXPECT_THROW(tensor({{laplace(1), 2}}, bad), InvalidArgument);
  EXPECT_THROW(tensor({{approximate(0.3, 0), 60}}, 1e-14), Unsupported);  // rounding alone is wider
  const auto product = bracketed({{laplace(1), 2}}, 1e-3);
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(product->type_two_error(bad), InvalidArgument);
    EXPECT_THROW(product->greatest_type_two_error(bad), InvalidArgument);
  }
  EXPECT_THROW(product->log_delta(std::nan("")), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::tradeoff
