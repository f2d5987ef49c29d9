#include "dpbudget/accounting/numeric/extended.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/expm1.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <limits>

namespace dpbudget::numeric {
namespace {

using Octuple = boost::multiprecision::cpp_bin_float_oct;

// What the users of Extended take for its errors: one part in 2^62 for a function's value.
void expect_close(const Extended& value, const Octuple& exact) {
  RC_ASSERT(abs(Octuple(value) - exact) <= abs(exact) * 0x1p-62);
}

Extended arbitrary_extended() {
  const auto share = static_cast<double>(*rc::gen::inRange<std::int64_t>(1LL << 52, 1LL << 53));
  const auto more = static_cast<double>(*rc::gen::inRange(0, 1 << 10));  // digits that a double has not
  return extended::ldexp(share + Extended(more) / 1024, *rc::gen::inRange(-110, -45));
}

RC_GTEST_PROP(Extended, FunctionsKeepTheDigitsThatADoubleHasNot, ()) {
  const Extended x = arbitrary_extended();
  expect_close(extended::exp(x), exp(Octuple(x)));
  expect_close(extended::exp(-x), exp(-Octuple(x)));
  expect_close(extended::expm1(-x), boost::math::expm1(-Octuple(x)));
  expect_close(extended::log1p(x), boost::math::log1p(Octuple(x)));
  RC_PRE(extended::abs(x - 1) > 0.01);
  expect_close(extended::log(x), log(Octuple(x)));
}

RC_GTEST_PROP(Extended, OperationsKeepTheDigitsThatADoubleHasNot, ()) {
  const Extended x = arbitrary_extended();
  const Extended y = arbitrary_extended();
  expect_close(x + y, Octuple(x) + Octuple(y));
  expect_close(x * y, Octuple(x) * Octuple(y));
  expect_close(x / y, Octuple(x) / Octuple(y));
}

// Masses are multiplied up from far below what a double holds.
TEST(Extended, HoldsWhatUnderflowsADouble) {
  const Extended small = extended::exp(Extended(-11000));
  EXPECT_GT(small, std::numeric_limits<Extended>::min());
  EXPECT_NEAR(static_cast<double>(extended::log(small)), -11000, 1e-11);
  EXPECT_EQ(static_cast<double>(small), 0);
}

}  // namespace
}  // namespace dpbudget::numeric
