#include "dpbudget/accounting/tradeoff/piecewise_linear.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/tradeoff/finite_tests.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/tradeoff/bracketed.h"
#include "dpbudget/accounting/tradeoff/operations.h"
#include "dpbudget/accounting/tradeoff/tensor.h"

namespace dpbudget::tradeoff {
namespace {

using testing::log_uniform;
using testing::Outcomes;
using testing::random_outcomes;
using testing::type_one_errors;

// The points of f and of its mirror image, which its inverse goes through; (1, 0) belongs to both.
std::vector<Vertex> with_mirror_image(std::vector<Vertex> points) {
  const std::size_t count = points.size();
  for (std::size_t i = 0; i < count; ++i) points.push_back({points[i].type_two_error, points[i].type_one_error});
  points.push_back({1, 0});
  return points;
}

// g**(a), g the least function through the points: the conjugate over all points, and back over all slopes that two
// points make, one of which is that of the minorant at a.
double double_conjugate(const std::vector<Vertex>& points, double a) {
  double best = 0;
  for (const Vertex& from : points)
    for (const Vertex& to : points) {
      if (!(from.type_one_error < to.type_one_error)) continue;
      const double slope = (to.type_two_error - from.type_two_error) / (to.type_one_error - from.type_one_error);
      double conjugate = -infinity;
      for (const Vertex& point : points)
        conjugate = std::max(conjugate, slope * point.type_one_error - point.type_two_error);
      best = std::max(best, slope * a - conjugate);
    }
  return best;
}

// accounting/tradeoff/proofs.md, 1.5
RC_GTEST_PROP(PiecewiseLinear, IsTheLeastErrorOfAllTests, ()) {
  const Outcomes outcomes = random_outcomes(8);
  const auto f = PiecewiseLinear::from_outcomes(outcomes);
  for (const double a : type_one_errors()) {
    const double truth = testing::least_type_two_error(outcomes, a);
    RC_ASSERT(std::abs(f->type_two_error(a) - truth) < 1e-13);
    RC_ASSERT(std::abs(f->power(a) + truth - 1) < 1e-13);
    RC_ASSERT(std::abs(testing::swept_type_two_error(outcomes, a) - truth) < 1e-13);
  }
  RC_ASSERT(f->vertices().front().type_two_error == f->type_two_error(0));
  PiecewiseLinear::from_vertices(f->vertices());  // it satisfies the axioms
}

// accounting/tradeoff/proofs.md, 2.1
RC_GTEST_PROP(PiecewiseLinear, SampledIsTheDoubleConjugateOfTheMinimum, ()) {
  const auto f = PiecewiseLinear::from_outcomes(random_outcomes(6));
  const double p = *rc::gen::element(0.0, 1e-6, 0.3, 0.5, 0.9, 1.0);
  std::vector<Vertex> mixed;
  for (const auto& [a, b] : f->vertices()) mixed.push_back({a, p * b + (1 - p) * (1 - a)});
  const TradeOffPtr sampled = subsampled(f, p);
  for (const double a : type_one_errors())
    RC_ASSERT(std::abs(sampled->type_two_error(a) - double_conjugate(with_mirror_image(mixed), a)) < 1e-9);
  RC_ASSERT(sampled->is_symmetric());
}

RC_GTEST_PROP(PiecewiseLinear, SymmetrisedIsTheLargestSymmetricOneBelow, ()) {
  const auto f = PiecewiseLinear::from_outcomes(random_outcomes(6));
  const auto once = symmetrised(*f);
  const auto twice = symmetrised(*once);
  const auto mirrored = inverse(*f);
  RC_ASSERT(once->is_symmetric());
  for (const double a : type_one_errors()) {
    const double here = once->type_two_error(a);
    RC_ASSERT(std::abs(here - double_conjugate(with_mirror_image(f->vertices()), a)) < 1e-9);
    RC_ASSERT(std::abs(here - twice->type_two_error(a)) < 1e-12);
    RC_ASSERT(here <= std::min(f->type_two_error(a), mirrored->type_two_error(a)) + 1e-12);
  }
}

// accounting/tradeoff/proofs.md, 1.4
RC_GTEST_PROP(PiecewiseLinear, InverseIsTheLeastErrorThatSuffices, ()) {
  const auto f = PiecewiseLinear::from_outcomes(random_outcomes(6));
  const auto mirrored = inverse(*f);
  for (const double b : type_one_errors()) {
    const double a = mirrored->type_two_error(b);  // inf{a : f(a) <= b}
    RC_ASSERT(f->type_two_error(std::min(1.0, a + 1e-12)) <= b + 1e-9);
    if (a > 1e-9) RC_ASSERT(f->type_two_error(a - 1e-9) >= b - 1e-12);
    RC_ASSERT(std::abs(inverse(*mirrored)->type_two_error(b) - f->type_two_error(b)) < 1e-12);
  }
}

// accounting/tradeoff/proofs.md, 1.5
RC_GTEST_PROP(PiecewiseLinear, MaximumIsPointwise, ()) {
  const auto f = PiecewiseLinear::from_outcomes(random_outcomes(6));
  const auto g = PiecewiseLinear::from_outcomes(random_outcomes(6));
  const auto both = maximum(*f, *g);
  for (const double a : type_one_errors())
    RC_ASSERT(std::abs(both->type_two_error(a) - std::max(f->type_two_error(a), g->type_two_error(a))) < 1e-12);
  PiecewiseLinear::from_vertices(both->vertices());
}

RC_GTEST_PROP(PiecewiseLinear, TensorIsThatOfTheProductDistributions, ()) {
  const Outcomes left = random_outcomes(6);
  const Outcomes right = random_outcomes(6);
  const Outcomes together = testing::product_of(left, right);
  const auto f = PiecewiseLinear::from_outcomes(left);
  const auto g = PiecewiseLinear::from_outcomes(right);
  for (const double a : type_one_errors()) {
    const double truth = testing::least_type_two_error(together, a);
    RC_ASSERT(std::abs(tensor(*f, *g)->type_two_error(a) - truth) < 1e-12);
    RC_ASSERT(std::abs(tensor(*g, *f)->type_two_error(a) - truth) < 1e-12);
  }
}

// accounting/tradeoff/proofs.md, 1.2 and 1.5
RC_GTEST_PROP(PiecewiseLinear, DeltaIsThatOfTheOutcomesAndDualToTheErrors, ()) {
  const Outcomes outcomes = random_outcomes(8);
  const auto f = PiecewiseLinear::from_outcomes(outcomes);
  for (const double epsilon : {-3.0, -0.5, 0.0, log_uniform(1e-6, 1), log_uniform(0.1, 20)}) {
    const double delta = std::exp(f->log_delta(epsilon));
    RC_ASSERT(std::abs(delta - testing::delta_of(outcomes, epsilon)) < 1e-13);
    for (const double a : type_one_errors())
      RC_ASSERT(f->type_two_error(a) >= 1 - delta - std::exp(epsilon) * a - 1e-12);
  }
  // The best epsilon, that of the tangent, leaves nothing between them.
  for (const double a : {0.01, 0.2, 0.5, 0.8}) {
    double best = 0;
    for (const auto& [p, q] : outcomes)
      if (p > 0 && q > 0) best = std::max(best, 1 - std::exp(f->log_delta(std::log(q / p))) - q / p * a);
    RC_ASSERT(std::abs(best - f->type_two_error(a)) < 1e-12);
  }
}

TEST(PiecewiseLinear, KeepsTheDigitsOfSmallErrors) {
  const auto f = PiecewiseLinear::from_outcomes({{1e-200, 1e-100}, {1 - 1e-9, 1e-9}, {1e-9, 1 - 1e-9}});
  EXPECT_DOUBLE_EQ(f->power(1e-201), 1e-101);
  EXPECT_DOUBLE_EQ(f->type_two_error(1e-9 + 0.5 * (1 - 1e-9)), 0.5e-9);
}

TEST(PiecewiseLinear, ProductsOfCertainOutcomesAreOneVerticalLine) {
  const auto once = PiecewiseLinear::from_outcomes({{0, 0.1}, {0.1, 0}, {0.6, 0.3}, {0.3, 0.6}});
  const auto twice = tensor(*once, *once);
  EXPECT_TRUE(twice->is_symmetric());
  EXPECT_NEAR(twice->vertices().front().type_two_error, 0.81, 1e-15);
  EXPECT_GT(twice->vertices()[1].type_one_error, 0);
}

TEST(PiecewiseLinear, ProductsStayDistributionsWhereSumsMissOneByRounding) {
  const auto f = PiecewiseLinear::from_outcomes({{0.5, 0.5 + 9e-10}, {0.5, 0.5}});
  EXPECT_NO_THROW(tensor({{f, 10}}));
}

// accounting/tradeoff/proofs.md, 1.6
RC_GTEST_PROP(PiecewiseLinear, OfAProfileIsBelowTheMechanismAndCloseToIt, ()) {
  const double loss = log_uniform(0.1, 3);
  const auto mechanism = *rc::gen::arbitrary<bool>() ? gaussian(loss) : laplace(loss);
  const auto log_delta = [&](double epsilon) { return mechanism->log_delta(epsilon); };
  std::vector<double> fine;
  for (int i = 0; i <= 200; ++i) fine.push_back(0.04 * i * loss);
  const auto close = PiecewiseLinear::from_profile(log_delta, fine);
  const auto coarse = PiecewiseLinear::from_profile(log_delta, {0.3});
  const TradeOffPtr known = approximate(0.3, std::exp(log_delta(0.3)));
  RC_ASSERT(close->is_symmetric());
  for (const double a : type_one_errors()) {
    const double truth = mechanism->type_two_error(a);
    RC_ASSERT(close->type_two_error(a) <= truth + 1e-13);
    RC_ASSERT(close->type_two_error(a) >= truth - 1e-3);
    RC_ASSERT(std::abs(coarse->type_two_error(a) - known->type_two_error(a)) < 1e-13);
  }
}

TEST(PiecewiseLinear, OfAnEmptyGuaranteeGuaranteesNothing) {
  for (const double log_delta : {0.0, 5.0, std::nan("")})
    EXPECT_EQ(PiecewiseLinear::from_profile([&](double) { return log_delta; }, {0, 1})->type_two_error(0), 0);
}

void expect_refused(const std::vector<Vertex>& vertices, std::string_view reason) {
  try {
    PiecewiseLinear::from_vertices(vertices);
    FAIL() << reason;
  } catch (const InvalidArgument& refusal) {
    EXPECT_NE(std::string(refusal.what()).find(reason), std::string::npos) << refusal.what();
  }
}

// accounting/tradeoff/proofs.md, 1.1
TEST(PiecewiseLinear, NamesTheAxiomThatDoesNotHold) {
  const double nan = std::nan("");
  expect_refused({{0, 1}, {0.25, 0.75}, {0.5, 0.25}, {1, 0}}, "convex");
  expect_refused({{0, 0.6}, {0.1, 0.4}, {0.2, 0.45}, {1, 0}}, "non-increasing");
  expect_refused({{0, 1}, {0.5, 0.6}, {1, 0}}, "at most 1 - type_one_error");
  expect_refused({{0.1, 0.5}, {1, 0}}, "from type_one_error 0");
  expect_refused({{0, 0.5}, {0.9, 0}}, "up to type_one_error 1");
  expect_refused({{0, 1}, {0, 0.5}, {1, 0}}, "increasing type_one_error");
  expect_refused({{0, 1}, {0.5, nan}, {1, 0}}, "type_two_error");
  expect_refused({{0, 1}, {nan, 0.5}, {1, 0}}, "type_one_error");
  expect_refused({{0, 1}}, "the number of vertices");
  expect_refused({}, "the number of vertices");
}

TEST(PiecewiseLinear, RefusesWhatIsNoPairOfDistributions) {
  const double nan = std::nan("");
  for (const Outcomes& bad :
       {Outcomes{}, Outcomes{{0.5, 1}, {0.4, 0}}, Outcomes{{1, 0.5}, {0, 0.4}}, Outcomes{{1.5, 1}, {-0.5, 0}},
        Outcomes{{1, 1.5}, {0, -0.5}}, Outcomes{{nan, 1}, {1, 0}}, Outcomes{{1, nan}, {0, 1}}})
    EXPECT_THROW(PiecewiseLinear::from_outcomes(bad), InvalidArgument);
  const auto f = PiecewiseLinear::from_outcomes({{0.5, 0.25}, {0.5, 0.75}});
  for (const double bad : {-1e-9, 1.1, nan}) {
    EXPECT_THROW(f->type_two_error(bad), InvalidArgument);
    EXPECT_THROW(f->power(bad), InvalidArgument);
    EXPECT_THROW(mixed_with_identity(*f, bad), InvalidArgument);
    EXPECT_THROW(subsampled(f, bad), InvalidArgument);
  }
  for (const double bad : {infinity, nan}) EXPECT_THROW(f->log_delta(bad), InvalidArgument);
  const auto never = [](double) { return -infinity; };
  for (const std::vector<double>& bad : std::vector<std::vector<double>>{{}, {1, 1}, {2, 1}, {-1}, {701}, {nan}})
    EXPECT_THROW(PiecewiseLinear::from_profile(never, bad), InvalidArgument);
}

TEST(PiecewiseLinear, RefusesAProductOfTooManyOutcomes) {
  Outcomes many(3000, {1.0 / 3000, 1.0 / 3000});
  const auto f = PiecewiseLinear::from_outcomes(many);
  EXPECT_THROW(tensor(*f, *f), Unsupported);
}

TEST(PiecewiseLinear, KeepsSmallDeltas) {
  const auto f = PiecewiseLinear::from_outcomes({{0, 1e-17}, {1e-17, 0}, {0.25, 0.75}, {0.75, 0.25}});
  EXPECT_NEAR(subsampled(f, 0.5)->log_delta(5), std::log(5e-18), 1e-9);
  EXPECT_NEAR(maximum(*f, *PiecewiseLinear::from_vertices({{0, 0.9}, {1, 0}}))->log_delta(5), std::log(1e-17), 1e-9);
  const auto tangents = PiecewiseLinear::from_profile([](double) { return std::log(1e-20); }, {1.0});
  EXPECT_NEAR(tangents->log_delta(2), std::log(1e-20), 1e-9);
}

TEST(PiecewiseLinear, IsRefusedWhereItIsConcaveHoweverShort) {
  EXPECT_THROW(PiecewiseLinear::from_vertices({{0, 1}, {1e-6, 1 - 1e-6}, {2e-6, 1 - 1e-6 - 9e-4}, {1, 0}}),
               InvalidArgument);
  EXPECT_THROW(PiecewiseLinear::from_vertices({{0, 1}, {1, 1e-10}}), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::tradeoff
