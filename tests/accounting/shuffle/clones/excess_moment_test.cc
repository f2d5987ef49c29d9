#include "dpbudget/accounting/shuffle/clones/excess_moment.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/numeric/log_math.h"

namespace dpbudget::shuffle {
namespace {

using dpbudget::testing::log_uniform;

// log E[(P/Q)^order] - 1 over every number of positive signs, by lgamma.
double log_excess_moment(double local_epsilon, double order, int m) {
  const double tau = std::tanh(local_epsilon / 2);
  double log_moment = -std::numeric_limits<double>::infinity();
  for (int b = 0; b <= m; ++b) {
    const double x = 2.0 * b / m - 1;
    const double log_mass = std::lgamma(m + 1.0) - std::lgamma(b + 1.0) - std::lgamma(m - b + 1.0) - m * std::log(2.0);
    const double log_power = order * std::log1p(tau * x) + (1 - order) * std::log1p(-tau * x);
    log_moment = numeric::log_add(log_moment, log_mass + log_power);
  }
  return log_moment > 30 ? log_moment : std::log(std::expm1(log_moment));
}

// accounting/shuffle/proofs.md, 5.2
RC_GTEST_PROP(ExcessMoment, IsBracketedAsCloselyAsAskedFor, ()) {
  const double local_epsilon = log_uniform(0.3, 8);
  const double order = 1 + log_uniform(1, 1e6);
  const int m = *rc::gen::inRange(1, 3000);
  const double accuracy = log_uniform(1e-6, 0.1);
  const double truth = log_excess_moment(local_epsilon, order, m);
  const numeric::Bracket found = ExcessMoment(local_epsilon, order)(m, accuracy);
  const double rounding = 1e-8 * (1 + std::abs(truth));
  RC_ASSERT(found.lower <= truth + rounding);
  RC_ASSERT(found.upper >= truth - rounding);
  // By that share of log(1 + moment).
  const auto log_one_more = [](double log_value) { return numeric::log_add(log_value, 0); };
  RC_ASSERT(log_one_more(found.upper) <= log_one_more(found.lower) * (1 + accuracy) + rounding);
}

// accounting/shuffle/proofs.md, 1.2 and 5.1
RC_GTEST_PROP(ExcessMoment, FallsAsSignsAreAdded, ()) {
  const ExcessMoment moment(log_uniform(1e-3, 20), 1 + log_uniform(1e-3, 1e4));
  const double m = std::floor(log_uniform(1, 1e5));
  RC_ASSERT(moment(m + std::ceil(m / 100), 1e-6).lower <= moment(m, 1e-6).upper);
}

// 4 order (order - 1) / 2 tau^2 E[X^2] for losses so small, E[X^2] = 1 / m.
TEST(ExcessMoment, IsItsSecondMomentWhereLossesAreSmall) {
  for (const double m : {10.0, 0x1p20, 0x1p50})
    for (const double local_epsilon : {1e-6, 1e-100}) {
      const double order = 3;
      const double truth = std::log(order * (order - 1) / 2 / m) + 2 * std::log(local_epsilon);
      const numeric::Bracket found = ExcessMoment(local_epsilon, order)(m, 1e-3);
      EXPECT_LE(found.lower, truth + 1e-5);
      EXPECT_GE(found.upper, truth - 1e-5);
      EXPECT_LE(found.upper - found.lower, 1.1e-3);
    }
}

}  // namespace
}  // namespace dpbudget::shuffle
