#include "dpbudget/accounting/base/to_integer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {
namespace {

template <class Integer>
class ToInteger : public ::testing::Test {};

using Integers = ::testing::Types<std::int8_t, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(ToInteger, Integers);

template <class Integer, std::floating_point Real>
void expect_ends_of_the_range() {
  using Limits = std::numeric_limits<Integer>;
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Real least = Limits::min();
  const Real end = std::ldexp(Real{1}, Limits::digits);
  const Real last = std::nextafter(end, Real{0});
  EXPECT_EQ(to_integer<Integer>(least, "x"), Limits::min());
  // The Real may have fewer digits than the integer, or more: then the last one is rounded towards 0.
  const bool has_fewer_digits = std::numeric_limits<Real>::digits < Limits::digits;
  EXPECT_EQ(to_integer<Integer>(last, "x"), has_fewer_digits ? static_cast<Integer>(last) : Limits::max());
  for (const Real outside : {end, 2 * end, infinity, -infinity, std::numeric_limits<Real>::quiet_NaN()})
    EXPECT_THROW(to_integer<Integer>(outside, "x"), InvalidArgument) << outside;
  // What lies between this and `least` is rounded towards 0.
  const Real below = least - 1 < least ? least - 1 : std::nextafter(least, -infinity);
  EXPECT_THROW(to_integer<Integer>(below, "x"), InvalidArgument);
  if (least - 1 < least) {
    EXPECT_EQ(to_integer<Integer>(std::nextafter(below, Real{0}), "x"), Limits::min());
  }
}

TYPED_TEST(ToInteger, TakesTheWholeRangeAndNothingBeyond) {
  expect_ends_of_the_range<TypeParam, float>();
  expect_ends_of_the_range<TypeParam, double>();
  expect_ends_of_the_range<TypeParam, long double>();
}

TEST(AsInteger, RoundsTowardsZero) {
  EXPECT_EQ(to_integer<int>(2.999, "x"), 2);
  EXPECT_EQ(to_integer<int>(-2.999, "x"), -2);
  EXPECT_EQ(to_integer<unsigned>(-0.999, "x"), 0U);
  EXPECT_EQ(to_integer<std::uint64_t>(-0.0, "x"), 0U);
}

RC_GTEST_PROP(AsInteger, KeepsIntegersThatADoubleHolds, (std::int64_t number)) {
  const std::int64_t kept = number >> 11;
  RC_ASSERT(to_integer<std::int64_t>(static_cast<double>(kept), "x") == kept);
}

TEST(AsInteger, NamesWhatItRefuses) {
  try {
    to_integer<std::int32_t>(1e30, "grid point");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "grid point is 1e+30, but must be in [-2147483648, 2147483647]");
  }
}

}  // namespace
}  // namespace dpbudget
