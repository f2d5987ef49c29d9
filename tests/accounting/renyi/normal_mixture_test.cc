#include "dpbudget/accounting/renyi/normal_mixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/random_event.h"
#include "accounting/renyi/reference.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/poisson_gaussian.h"

namespace dpbudget::renyi {
namespace {

using dpbudget::testing::log_uniform;
using testing::Precise;

NormalMixture mixture_of(std::vector<NormalShift> shifts) {
  NormalMixture mixture{std::move(shifts)};
  mixture.at_zero = rest_of(mixture.shifts);
  return mixture;
}

// The larger direction, as an integral.
double mixture_integral(const NormalMixture& mixture, double order) {
  double largest = 0;
  for (const double power : {order, 1 - order}) {
    const auto integrand = [&](const Precise& z) -> Precise {
      Precise change = 0;
      for (const auto& [probability, mean] : mixture.shifts)
        change += probability * expm1(mean * (z - Precise(mean) / 2));
      return testing::normal_density(z) * (pow(1 + change, Precise(power)) - 1);
    };
    const double reach = 12 + order * mixture.highest_mean();
    largest = std::max(largest, testing::divergence(testing::integral(integrand, -reach, reach, 0.5), order));
  }
  return largest;
}

// accounting/renyi/proofs.md, 9.1 and 9.2
TEST(NormalMixtureCurve, IsTheIntegralInTheLargerDirection) {
  for (const NormalMixture& mixture :
       {mixture_of({{0.1875, 0.5}, {0.0078125, 1}}), mixture_of({{0.5, 2}, {0.25, 0.125}, {0.25, 3}}),
        mixture_of({{0.0009765625, 4}, {0.25, 0.5}})})
    for (const double order : {1.05, 2.0, 9.5}) {
      const double expected = mixture_integral(mixture, order);
      const double found = (*normal_mixture_curve(mixture))(order);
      EXPECT_GE(found, expected * (1 - 1e-14)) << order << " " << mixture.highest_mean();
      EXPECT_LE(found, expected * (1 + 1e-8)) << order << " " << mixture.highest_mean();
    }
}

// accounting/renyi/proofs.md, 9.3
TEST(NormalMixtureCurve, OfRareShiftsKeepsItsDigits) {
  const NormalMixture mixture = mixture_of({{1e-9, 0.5}, {1e-10, 1}});
  for (const double order : {1.5, 3.0, 12.0}) {
    const double expected = mixture_integral(mixture, order);
    const double found = (*normal_mixture_curve(mixture))(order);
    EXPECT_GE(found, expected * (1 - 1e-12)) << order;
    EXPECT_LE(found, expected * 1.6) << order;
  }
}

RC_GTEST_PROP(NormalMixtureCurve, OfOneShiftIsThatOfASample, ()) {
  const double rate = log_uniform(1e-6, 1);
  const double noise = log_uniform(0.3, 50);
  const double order = 1 + log_uniform(0.01, 60);
  const double found = (*normal_mixture_curve(mixture_of({{rate, 1 / noise}})))(order);
  const double expected = poisson_gaussian(rate, noise, order);
  RC_ASSERT(found >= expected * (1 - 1e-9));
  RC_ASSERT(found <= expected * (1 + 1e-4));
}

RC_GTEST_PROP(NormalMixtureCurve, GrowsWithShiftsAndOrderAndIsBelowTheFarthest, ()) {
  NormalMixture mixture = mixture_of({{log_uniform(1e-5, 0.4), log_uniform(0.1, 2)}, {0.1, log_uniform(0.1, 2)}});
  const double order = 1 + log_uniform(0.05, 30);
  const double found = (*normal_mixture_curve(mixture))(order);
  const double most = mixture.highest_mean();
  RC_ASSERT(found <= (*gaussian_curve(most * most))(order) * (1 + 1e-9));
  RC_ASSERT((*normal_mixture_curve(mixture))(order * 1.1) >= found * (1 - 1e-9));
  mixture.shifts[0].mean *= 1.1;
  RC_ASSERT((*normal_mixture_curve(mixture))(order) >= found * (1 - 1e-9));
}

}  // namespace
}  // namespace dpbudget::renyi
