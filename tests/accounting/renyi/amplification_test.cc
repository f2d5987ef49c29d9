// Poisson sampling and sampling without replacement of arbitrary curves, interpolation and participation.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/random_event.h"
#include "accounting/renyi/reference.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/amplified.h"
#include "dpbudget/accounting/renyi/composition.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/gaussian_central_moment.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/poisson.h"
#include "dpbudget/accounting/renyi/poisson_gaussian.h"
#include "dpbudget/accounting/renyi/pure.h"
#include "dpbudget/accounting/renyi/without_replacement.h"

namespace dpbudget::renyi {
namespace {

using testing::MorePrecise;
using testing::Precise;

// Rényi divergence of the Poisson-sampled Laplace mechanism, both directions, by quadrature: `forward` from the
// mixture.
double sampled_laplace(double q, double b, double order, bool forward) {
  const Precise scale = b;
  const auto integrand = [&](const Precise& z) -> Precise {
    const Precise base = exp(-abs(z) / scale) / (2 * scale);
    const Precise ratio = 1 + q * expm1((abs(z) - abs(z - 1)) / scale);
    return base * (pow(ratio, forward ? Precise(order) : 1 - Precise(order)) - 1);
  };
  // Kinks at 0 and 1; outside, the ratio is constant and the density integrates to 1/2 and exp(-1/b)/2.
  const auto constant = [&](double sign) {
    return pow(1 + q * expm1(Precise(sign) / scale), forward ? Precise(order) : 1 - Precise(order)) - 1;
  };
  const Precise moment_minus_1 =
      testing::integral(integrand, 0, 1, 0.25) + constant(-1) / 2 + constant(1) * exp(-1 / scale) / 2;
  return testing::divergence(moment_minus_1, order);
}

TEST(PoissonAmplification, IsExactForLaplaceAtIntegerOrdersAndBoundsBothDirections) {
  for (const double q : {0.001, 0.1, 0.6})
    for (const double b : {0.3, 1.0, 10.0})
      for (const int order : {2, 3, 8, 33}) {
        const double exact = sampled_laplace(q, b, order, true);
        EXPECT_NEAR(poisson_laplace(q, b, order, 1) / exact, 1, 1e-10) << q << " " << b << " " << order;
        EXPECT_GE(exact * (1 + 1e-12), sampled_laplace(q, b, order, false)) << q << " " << b << " " << order;
        EXPECT_GE(poisson_laplace(q, b, order, 3), poisson_laplace(q, b, order, 1) * (1 - 1e-12));
      }
}

TEST(PoissonAmplification, AtRealOrdersIsAboveBothDirections) {
  for (const double q : {0.01, 0.3})
    for (const double b : {0.5, 2.0})
      for (const double order : {1.2, 2.5, 7.9}) {
        const double bound = (*poisson_curve(q, laplace_curve(b), OddMoments::nonnegative))(order);
        EXPECT_GE(bound, sampled_laplace(q, b, order, true));
        EXPECT_GE(bound, sampled_laplace(q, b, order, false));
      }
}

TEST(PoissonAmplification, OfTheGaussianIsItsExactCurve) {
  for (const int order : {2, 5, 20}) {
    const PoissonAmplification theorem(0.05, gaussian_curve(0.25), OddMoments::nonnegative);
    EXPECT_NEAR(theorem(static_cast<std::uint64_t>(order)).value / poisson_gaussian(0.05, 2, order), 1, 1e-10);
  }
}

// accounting/renyi/proofs.md, 3.1
TEST(PoissonRandomizedResponse, IsItsSumOverOutputsInBothDirections) {
  for (const double q : {0.001, 0.2, 0.9})
    for (const double epsilon : {0.01, 1.0, 6.0})
      for (const double order : {1.001, 1.5, 4.0, 60.0})
        for (const int categories : {2, 5}) {
          const MorePrecise odds = exp(MorePrecise(epsilon));
          const MorePrecise p = odds / (odds + categories - 1);
          const MorePrecise lie = 1 / (odds + categories - 1);
          const MorePrecise a = order;
          MorePrecise forward = 0;
          MorePrecise reverse = 0;
          const auto add = [&](const MorePrecise& with, const MorePrecise& without, int times) {
            const MorePrecise mixture = (1 - MorePrecise(q)) * without + q * with;
            forward += times * pow(mixture, a) * pow(without, 1 - a);
            reverse += times * pow(without, a) * pow(mixture, 1 - a);
          };
          add(p, lie, 1);
          add(lie, p, 1);
          add(lie, lie, categories - 2);
          const auto truth = static_cast<double>(log(forward > reverse ? forward : reverse) / (a - 1));
          const double curve =
              (*poisson_randomized_response_curve(q, epsilon, static_cast<std::uint64_t>(categories)))(order);
          EXPECT_GE(curve, truth * (1 - 1e-15)) << q << " " << epsilon << " " << order;
          EXPECT_NEAR(curve / truth, 1, 1e-9) << q << " " << epsilon << " " << order;
        }
}

TEST(ResponseCurves, AreTightWhereMomentsLeaveTheRangeOfADouble) {
  // (order, epsilon) with moments far above e^700; truth in 100 digits.
  for (const auto& [q, epsilon, order] : {std::tuple{1e-3, 5.0, 4370.0}, {0.5, 28.4, 50.4}, {0.0031, 109.0, 64.0}}) {
    const MorePrecise odds = exp(MorePrecise(epsilon));
    const MorePrecise a = order;
    const MorePrecise up = 1 + MorePrecise(q) * (odds - 1);
    const MorePrecise down = 1 + MorePrecise(q) * (1 / odds - 1);
    const MorePrecise forward = (pow(up, a) + odds * pow(down, a)) / (1 + odds);
    const MorePrecise reverse = (pow(up, 1 - a) + odds * pow(down, 1 - a)) / (1 + odds);
    const MorePrecise poisson = log(forward > reverse ? forward : reverse) / (a - 1);
    const double poisson_upper = (*poisson_randomized_response_curve(q, epsilon, 2))(order);
    EXPECT_GE(poisson_upper, poisson);
    EXPECT_LE(poisson_upper, poisson * (1 + 1e-10)) << q << " " << epsilon;
  }
  EXPECT_NEAR(amplified_pure_epsilon(1e-300, 600) / 3.7730203009299397e-40, 1, 1e-10);
}

TEST(ChordedCurve, IsNowhereBelowAndCloseAbove) {
  const CurvePtr curve = laplace_curve(500);
  const CurvePtr chorded = chorded_curve(curve);
  for (const double order : {1.5, 2.0, 1024.0, 1025.0, 1500.5, 70000.0}) {
    EXPECT_GE((*chorded)(order), (*curve)(order));
    EXPECT_LE((*chorded)(order), (*curve)(order) * (1 + 1e-3)) << order;
  }
  EXPECT_EQ(chorded->at_infinity(), curve->at_infinity());
}

// A theorem that was refused once has said nothing.
TEST(AmplifiedCurve, KnowsNothingOfWhatWasRefused) {
  bool is_refused = true;
  const auto theorem = [&](std::uint64_t) {
    if (is_refused) throw Unsupported("not now");
    return 1e-3;
  };
  const CurvePtr amplified = amplified_curve(theorem, laplace_curve(1), std::numeric_limits<double>::infinity());
  EXPECT_THROW((*amplified)(3), Unsupported);
  is_refused = false;
  EXPECT_EQ((*amplified)(3), 1e-3);
}

// Sampling 1 of 3 records and answering by randomised response: every neighbouring pair, enumerated.
TEST(WithoutReplacement, BoundsTheEnumeratedMechanism) {
  for (const double epsilon : {0.2, 1.0, 3.0}) {
    const double p = std::exp(epsilon) / (1 + std::exp(epsilon));
    const auto one = [p](int record) { return record == 1 ? p : 1 - p; };
    for (const int order : {2, 3, 7, 30}) {
      const CurvePtr curve = without_replacement_curve(1.0 / 3, pure_curve(epsilon));
      for (int others = 0; others < 4; ++others) {
        const double rest = one(others & 1) + one(others >> 1);
        const double with = (one(1) + rest) / 3;
        const double without = (one(0) + rest) / 3;
        const double moment = std::pow(with, order) * std::pow(without, 1 - order) +
                              std::pow(1 - with, order) * std::pow(1 - without, 1 - order);
        EXPECT_LE(std::log(moment) / (order - 1), (*curve)(order)) << epsilon << " " << order << " " << others;
      }
    }
  }
}

// accounting/renyi/proofs.md, 4.3
TEST(WithoutReplacement, IsCappedByTheCurveWithoutSampling) {
  // Noble et al.'s setting, where the uncapped sum is 29 times the curve it is to amplify.
  const CurvePtr base = gaussian_curve(1.0 / 3600);
  EXPECT_GT(without_replacement_gaussian_uncapped(0.2, 60, 50, false), 28 * (*base)(50));
  EXPECT_LE((*without_replacement_curve(0.2, base))(50), (*base)(50));
}

// B(l) written out as the alternating sum, in 100 digits, where 100 are enough.
// accounting/renyi/proofs.md, 4.2
TEST(GaussianCentralMoments, AreTheAlternatingSum) {
  for (const double s : {0.5, 1.0, 5.0, 60.0})
    for (const int power : {2, 4, 10, 20}) {
      MorePrecise sum = 0;
      MorePrecise binomial = 1;
      for (int i = 0; i <= power; ++i) {
        const MorePrecise term = binomial * exp(MorePrecise(i) * (i - 1) / (2 * MorePrecise(s) * s));
        sum += (power - i) % 2 == 0 ? term : MorePrecise(-term);
        binomial = binomial * (power - i) / (i + 1);
      }
      const double truth = static_cast<double>(log(sum));
      const double computed = GaussianCentralMoments(s)(static_cast<std::uint64_t>(power));
      EXPECT_NEAR(computed, truth, 1e-9 * (1 + std::abs(truth))) << s << " " << power;
      EXPECT_GE(computed, truth - 1e-14 * std::abs(truth)) << s << " " << power;
    }
}

// The ternary |chi|^j divergence of three Gaussians is at most four times the largest binary one.
// accounting/renyi/proofs.md, 4.1
TEST(GaussianCentralMoments, BoundTheTernaryDivergence) {
  for (const double s : {0.7, 2.0, 10.0})
    for (const int power : {2, 4, 6})
      for (const auto& [a, b] : {std::pair{1.0, 0.0}, {0.5, -0.5}, {1.0, 0.3}, {-0.2, 0.8}}) {
        const auto integrand = [&](const Precise& z) -> Precise {
          const Precise up = Precise(a) / s;
          const Precise down = Precise(b) / s;
          return testing::normal_density(z) *
                 pow(abs(exp(z * up - up * up / 2) - exp(z * down - down * down / 2)), power);
        };
        const double reach = 12 + 2 * power / s;
        const double ternary = static_cast<double>(log(testing::integral(integrand, -reach, reach, 0.5)));
        EXPECT_LE(ternary, std::log(4.0) + GaussianCentralMoments(s)(static_cast<std::uint64_t>(power)) + 1e-12);
      }
}

// accounting/renyi/proofs.md, 4.3
TEST(Interpolate, LiesAboveTheCurveAndMeetsItAtTheEnds) {
  for (const double s : {0.8, 3.0}) {
    for (const double order : {1.3, 2.0, 2.4, 5.7}) {
      const double lower = std::floor(order);
      const double upper = std::ceil(order);
      const auto at = [&](double n) { return n < 2 ? 0 : poisson_gaussian(0.1, s, n); };
      EXPECT_GE(interpolate(order, lower, at(lower), upper, at(upper)), poisson_gaussian(0.1, s, order) * (1 - 1e-13));
    }
    EXPECT_EQ(interpolate(3, 3, 0.5, 4, 0.7), 0.5);
    EXPECT_EQ(interpolate(4, 3, 0.5, 4, 0.7), 0.7);
  }
}

RC_GTEST_PROP(AmplifiedCurve, IsMonotoneInOrderAndNeverAboveItsBase, ()) {
  const double q = dpbudget::testing::log_uniform(1e-5, 0.9);
  const double b = dpbudget::testing::log_uniform(0.2, 100);
  const double order = 1 + dpbudget::testing::log_uniform(1e-2, 3000);
  for (const CurvePtr& curve :
       {poisson_curve(q, laplace_curve(b), OddMoments::unknown), without_replacement_curve(q, laplace_curve(b))}) {
    RC_ASSERT((*curve)(order) <= laplace(order, b) * (1 + 1e-9));
    RC_ASSERT((*curve)(order) <= curve->at_infinity() * (1 + 1e-12));
    RC_ASSERT((*curve)(order * 1.02) * (1 + 1e-9) >= (*curve)(order));
  }
}

// accounting/renyi/proofs.md, 6.1
TEST(Participates, IsTheMixtureWithNothing) {
  for (const double rate : {1e-9, 0.05, 0.5, 0.999})
    for (const double s : {0.4, 3.0, 100.0})
      for (const double order : {1.01, 2.0, 15.0}) {
        const MorePrecise a = order;
        const MorePrecise once = a / (2 * MorePrecise(s) * s);
        const MorePrecise truth = log1p(rate * expm1((a - 1) * once)) / (a - 1);
        const double curve = (*participating_curve(rate, gaussian_curve(1 / s / s)))(order);
        EXPECT_GE(curve, truth);
        EXPECT_NEAR(curve / static_cast<double>(truth), 1, 1e-11) << rate << " " << s << " " << order;
      }
  EXPECT_EQ((*participating_curve(0, gaussian_curve(1)))(2), 0);
  EXPECT_EQ(participating_curve(0.1, gaussian_curve(1))->at_infinity(), infinity);
  EXPECT_EQ(participating_curve(0.1, pure_curve(2))->at_infinity(), 2);
}

TEST(Amplification, RefusesBadInput) {
  EXPECT_THROW(poisson_laplace(0.1, 1, 2.5, 1), InvalidArgument);
  EXPECT_THROW(poisson_laplace(0.1, 1, 1, 1), InvalidArgument);
  EXPECT_THROW(poisson_laplace(0.1, 1, 2, 2), InvalidArgument);
  EXPECT_THROW(poisson_laplace(1.1, 1, 2, 1), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian_uncapped(0.1, 1, 2.5, false), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian_uncapped(0.1, 0, 2, false), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian_uncapped(-0.1, 1, 2, true), InvalidArgument);
  EXPECT_THROW(without_replacement_gaussian_interpolated_uncapped(0.1, 1, 1), InvalidArgument);
  EXPECT_THROW(without_replacement_laplace_uncapped(0.1, -1, 2), InvalidArgument);
  EXPECT_THROW(participating_curve(1.5, gaussian_curve(1)), InvalidArgument);
  EXPECT_THROW(poisson_curve(-1, gaussian_curve(1), OddMoments::unknown), InvalidArgument);
  EXPECT_THROW(without_replacement_curve(2, gaussian_curve(1)), InvalidArgument);
}

}  // namespace
}  // namespace dpbudget::renyi
