#include "dpbudget/accounting/numeric/exponential.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <iterator>
#include <limits>

#include "accounting/random_event.h"

namespace dpbudget::numeric {
namespace {

using Digits = boost::multiprecision::cpp_bin_float_100;

// accounting/numeric/proofs.md, 1.4
RC_GTEST_PROP(Exponential, ExponentialsAreEnclosedToTheLeastDouble, ()) {
  const double exponents[] = {-1, -690, -708.4, -744, -744.44, -744.45, -760, -1e5};
  const double x =
      exponents[*rc::gen::inRange<std::size_t>(0, std::size(exponents))] * dpbudget::testing::log_uniform(1, 1 + 1e-3);
  const Digits truth = exp(Digits(x));
  const double above = exp_up(x);
  const double below = exp_down(x);
  RC_ASSERT(Digits(above) > truth);
  RC_ASSERT(Digits(below) < truth);
  RC_ASSERT(below >= 0);
  // And not by more than a few units.
  RC_ASSERT(Digits(above) <= truth * (1 + 0x1p-47) + Digits(0x1p-1074) * 17);
  RC_ASSERT(Digits(below) >= truth * (1 - 0x1p-47) - Digits(0x1p-1074) * 17);
  RC_ASSERT(Digits(exp_up(x, 1e-9)) > truth * (1 + Digits(1e-9)));
  RC_ASSERT(Digits(exp_down(x, 1e-9)) < truth * (1 - Digits(1e-9)));
}

TEST(Exponential, OnlyMinusInfinityHasTheExponentialZero) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exp_up(-infinity), 0);
  EXPECT_EQ(exp_up(-infinity, infinity), 0);
  EXPECT_EQ(exp_down(-infinity, infinity), 0);
  EXPECT_EQ(exp_up(-1e300), 0x1p-1074);
  EXPECT_EQ(exp_up(-745), 0x1p-1074);
  EXPECT_EQ(exp_down(-745), 0);
  EXPECT_EQ(exp_up(infinity), infinity);
}

}  // namespace
}  // namespace dpbudget::numeric
