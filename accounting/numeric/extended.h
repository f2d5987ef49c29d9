/// @file
/// Numbers with more digits than a double, on every machine.
#pragma once

#include <cfloat>
#include <cmath>
#include <limits>

#if LDBL_MANT_DIG == 64 || (LDBL_MANT_DIG == 113 && defined(__GLIBC__))
#define DPBUDGET_LONG_DOUBLE_IS_EXTENDED 1
#else
#define DPBUDGET_LONG_DOUBLE_IS_EXTENDED 0
#include <boost/multiprecision/cpp_bin_float.hpp>
#endif

namespace dpbudget::numeric {

/// At least 64 binary digits, and exponents to 16383 either way. That is long double where it has the digits and a C
/// library that computes with them: elsewhere it is a double (Windows, macOS), or functions of it are (musl's, of 113
/// digits). The replacement has 16 digits to spare, of which Boost's functions lose 5.
#if DPBUDGET_LONG_DOUBLE_IS_EXTENDED
using Extended = long double;
#else
using Extended = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<80, boost::multiprecision::digit_base_2, void, int, -16382, 16383>,
    boost::multiprecision::et_off>;
#endif
static_assert(std::numeric_limits<Extended>::digits >= 64 && std::numeric_limits<Extended>::max_exponent >= 16383);

/// The functions of an Extended: std's alone would not do, and unqualified ones may be those of a double.
namespace extended {
using std::abs;
using std::ceil;
using std::exp;
using std::expm1;
using std::floor;
using std::ldexp;
using std::log;
using std::log1p;
#if !DPBUDGET_LONG_DOUBLE_IS_EXTENDED
using boost::multiprecision::abs;
using boost::multiprecision::ceil;
using boost::multiprecision::exp;
using boost::multiprecision::expm1;
using boost::multiprecision::floor;
using boost::multiprecision::ldexp;
using boost::multiprecision::log;
using boost::multiprecision::log1p;
#endif
}  // namespace extended

}  // namespace dpbudget::numeric
