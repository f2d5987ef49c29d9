#include "dpbudget/accounting/numeric/rounding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "accounting/random_event.h"

namespace dpbudget::numeric {

namespace {

// Holds sums and products of two doubles exactly.
using Exact =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<2200, boost::multiprecision::digit_base_2>>;

// accounting/numeric/proofs.md, 1.3
RC_GTEST_PROP(Rounding, SumsAndProductsAreTheSmallestDoublesNotBelow, ()) {
  const double a = dpbudget::testing::log_uniform(1e-100, 1e100);
  const double b = *rc::gen::arbitrary<bool>() ? dpbudget::testing::log_uniform(1e-100, 1e100)
                                               : a * dpbudget::testing::log_uniform(1e-17, 1e17);
  const double sum = add_up(a, b);
  RC_ASSERT(Exact(sum) >= Exact(a) + Exact(b));
  RC_ASSERT(Exact(std::nextafter(sum, 0)) < Exact(a) + Exact(b));
  const double product = multiply_up(a, b);
  RC_ASSERT(Exact(product) >= Exact(a) * Exact(b));
  RC_ASSERT(Exact(std::nextafter(product, 0)) < Exact(a) * Exact(b));
}

TEST(Rounding, LeavesExactResultsAlone) {
  EXPECT_EQ(add_up(0.5, 0.25), 0.75);
  EXPECT_EQ(add_up(0, 0.1), 0.1);
  EXPECT_EQ(multiply_up(4, 0.25), 1);
  EXPECT_EQ(multiply_up(0, std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(add_up(1, std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_GT(multiply_up(1e-200, 1e-200), 0);
}

// accounting/numeric/proofs.md, 1.3
TEST(Rounding, RaisedIsAbove) {
  EXPECT_GT(raised(1, 0), 1);
  EXPECT_GE(raised(3, 1e-10), 3 * (1 + 1e-10));
  EXPECT_LT(raised(3, 0), 3 * (1 + 1e-13));
}

}  // namespace
}  // namespace dpbudget::numeric
