#include "dpbudget/accounting/renyi/with_replacement.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/renyi/curve_of.h"
#include "dpbudget/accounting/renyi/without_replacement_gaussian.h"

namespace dpbudget::renyi {
namespace {

CurvePtr curve(const char* text) { return curve_of(NormalPlan(parse(text).event, Adjacency::replace_one)).curve; }

// The moment of the dominating pair, term by term (accounting/plan/proofs.md, 2.2).
TEST(WithReplacementCurve, IsTheMeanOfTheMoments) {
  const boost::math::binomial law(12, 1.0 / 30);
  const double rate = 1 - pdf(law, 0);
  const CurvePtr found = curve("with_replacement(12 of 30, gaussian(5))");
  for (const double order : {1.5, 2.0, 4.0, 8.0}) {
    double moment = 0;
    for (int k = 1; k <= 12; ++k)
      moment += pdf(law, k) / rate * std::exp((order - 1) * without_replacement_gaussian(rate, 5.0 / k, order));
    const double truth = std::log(moment) / (order - 1);
    EXPECT_GE((*found)(order), truth * (1 - 1e-12)) << order;
    EXPECT_LE((*found)(order), truth * 1.001 + 1e-12) << order;
  }
}

TEST(WithReplacementCurve, IsAboveTheMixtureOfShiftedGaussians) {
  // E_Q (sum b_k e^(k y/s^2 - k^2/2s^2))^2 at order 2 is the sum of b_j b_k e^(jk/s^2).
  const boost::math::binomial law(12, 1.0 / 30);
  double moment = 0;
  for (int j = 0; j <= 12; ++j)
    for (int k = 0; k <= 12; ++k) moment += pdf(law, j) * pdf(law, k) * std::exp(j * k / 25.0);
  EXPECT_GE((*curve("with_replacement(12 of 30, gaussian(5))"))(2), std::log(moment));
}

TEST(WithReplacementCurve, OfOneRecordIsThatOfItsCopies) {
  EXPECT_NEAR((*curve("with_replacement(3 of 1, gaussian(6))"))(4), 4 / 2.0 / 4, 1e-12);
  EXPECT_NEAR(curve("with_replacement(3 of 1, rr(0.5))")->at_infinity(), 1.5, 1e-12);
}

}  // namespace
}  // namespace dpbudget::renyi
