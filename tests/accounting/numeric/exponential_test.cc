#include "dpbudget/accounting/numeric/exponential.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include "accounting/random_event.h"
#include "dpbudget/accounting/numeric/exponentials.h"
#include "dpbudget/accounting/numeric/rounding.h"

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

// accounting/numeric/proofs.md, 1.5
RC_GTEST_PROP(Exponential, ManyExponentialsAreAsCloseAsIsSaid, ()) {
  const double first = *rc::gen::arbitrary<bool>() ? dpbudget::testing::log_uniform(0.1, 600)
                                                   : -dpbudget::testing::log_uniform(0.1, 600);
  const double size_of_step = dpbudget::testing::log_uniform(*rc::gen::arbitrary<bool>() ? 10 : 1e-6, 60);
  const double step = *rc::gen::arbitrary<bool>() ? size_of_step : -size_of_step;
  const auto size = *rc::gen::inRange<std::size_t>(1, 100);
  Exponentials exponentials(first, step, size);
  for (std::size_t start = 0; start < size; start += Exponentials::block) {
    const auto& row = exponentials.from(start);
    for (std::size_t i = start; i < std::min(size, start + Exponentials::block); ++i) {
      const Digits truth = exp(Digits(first) + Digits(step) * static_cast<double>(i));
      const double value = row[i - start];
      const double terms =
          std::abs(first) + static_cast<double>(i) * size_of_step + 2 * Exponentials::block * size_of_step;
      const double error = (3 + terms / 8) * unit;
      if (std::isinf(value)) {
        RC_ASSERT(truth * (1 + error) > std::numeric_limits<double>::max());
        continue;
      }
      RC_ASSERT(abs(Digits(value) - truth) <= truth * error + Digits(0x1p-1074) * 20);
    }
  }
}

TEST(Exponential, ManyExponentialsOverflowOneByOne) {
  Exponentials rising(700, 1, 40);
  EXPECT_DOUBLE_EQ(rising.from(0)[5], std::exp(705));
  EXPECT_EQ(rising.from(0)[10], std::numeric_limits<double>::infinity());
  Exponentials falling(712, -3, 40);
  EXPECT_EQ(falling.from(0)[0], std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(falling.from(0)[1], std::exp(709));
}

}  // namespace
}  // namespace dpbudget::numeric
