#include "dpbudget/fl/convergence/enclosed.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "dpbudget/fl/convergence/lowy.h"
#include "dpbudget/fl/convergence/noble.h"

namespace dpbudget::fl {
namespace {

using Digits = boost::multiprecision::cpp_bin_float_100;

double any_number() {
  const double sign = *rc::gen::element(-1.0, 1.0);
  const double exponent = *rc::gen::inRange(-40, 40);
  return sign * std::exp2(exponent) * (1 + *rc::gen::inRange(0, 1 << 30) * 0x1p-30 / 3);
}

bool contains(const Enclosed& found, const Digits& truth) {
  return Digits(found.lower()) <= truth && truth <= Digits(found.upper());
}

bool holds(const Enclosed& found, const Digits& truth, double width) {
  return contains(found, truth) && found.upper() - found.lower() <= width * std::abs(found.upper()) + 1e-320;
}

// fl/convergence/proofs.md, 7.1
RC_GTEST_PROP(Enclosed, HoldsTheExactResult, ()) {
  const double a = any_number();
  const double b = any_number();
  RC_ASSERT(holds(Enclosed(a) * b, Digits(a) * b, 1e-15));
  RC_ASSERT(holds(Enclosed(a) / b, Digits(a) / b, 1e-15));
  const Enclosed sum = Enclosed(a) + b;
  RC_ASSERT(holds(sum, Digits(a) + b, 1e-15));
  // Of what cancels no digit may be left.
  RC_ASSERT(contains(sum - a, Digits(b)));
  // What is not known exactly: the quotient's ends by b again.
  const Enclosed third = Enclosed(a) / 3;
  RC_ASSERT(holds(third * b, Digits(a) / 3 * b, 2e-15));
  RC_ASSERT(holds(b / third, Digits(b) * 3 / a, 2e-15));
  const double small = std::abs(a) / std::exp2(40.0);
  RC_ASSERT(holds(exp(Enclosed(small)), boost::multiprecision::exp(Digits(small)), 1e-13));
  RC_ASSERT(holds(expm1(Enclosed(small)), boost::multiprecision::expm1(Digits(small)), 1e-13));
  RC_ASSERT(holds(log1p(Enclosed(small)), boost::multiprecision::log1p(Digits(small)), 1e-13));
}

TEST(Enclosed, IsExactWhereItCanBe) {
  EXPECT_EQ((Enclosed(0) * 1e308).upper(), 0);
  EXPECT_EQ((Enclosed(0) + 3).upper(), 3);
  EXPECT_EQ((Enclosed(0) / 7).lower(), 0);
  EXPECT_EQ((Enclosed(7) - 7).lower(), 0);
  EXPECT_EQ((Enclosed(7) - 7).upper(), 0);
}

TEST(Enclosed, LosesNothingAtTheEndsOfTheRange) {
  constexpr double most = std::numeric_limits<double>::max();
  EXPECT_NEAR((Enclosed(most) * 2).lower() / most, 1, 1e-15);
  EXPECT_TRUE(std::isinf((Enclosed(most) * 2).upper()));
  EXPECT_NEAR(exp(Enclosed(1e4)).lower() / most, 1, 1e-14);
  EXPECT_TRUE(std::isinf(exp(Enclosed(1e4)).upper()));
  EXPECT_GT((Enclosed(1e-300) * 1e-300).upper(), 0);
  EXPECT_EQ((Enclosed(1e-300) * 1e-300).lower(), 0);
  EXPECT_EQ(exp(Enclosed(-1e4)).lower(), 0);
  EXPECT_GT(exp(Enclosed(-1e4)).upper(), 0);
  EXPECT_TRUE(std::isinf((1 / (Enclosed(1) / 3 * 3 - 1)).upper()));
}

// The double that the formula gives in plain arithmetic lies below the truth in about half of the cases.
RC_GTEST_PROP(Enclosed, MakesTotalsThatAreNotBelowTheTruth, ()) {
  const double distance = std::abs(any_number());
  const double step = 0.4 * *rc::gen::inRange(1, 1000) / 1000.0;
  const double variance = std::abs(any_number());
  const std::uint64_t rounds = *rc::gen::inRange<std::uint64_t>(1, 100000);
  const LowyRun run{.smoothness = 2,
                    .gradient_variance = variance,
                    .silo_heterogeneity = 0.3,
                    .noise_std = 0.7,
                    .dimension = 3,
                    .silos = 10,
                    .participants = 3,
                    .batch = 7};
  const Digits v = Digits(variance) / 21 + (1 - Digits(2) / 9) * Digits(0.3) / 3 + Digits(0.7) * 0.7;
  const Digits truth =
      (Digits(distance) * distance / (Digits(step) * rounds) + Digits(step) * v) / (2 * (1 - 2 * Digits(step)));
  const double found = lowy_minibatch_bound(run, distance, step, rounds).total;
  RC_ASSERT(truth <= Digits(found));
  RC_ASSERT(Digits(found) <= truth * (1 + Digits(1e-13)));
}

}  // namespace
}  // namespace dpbudget::fl
