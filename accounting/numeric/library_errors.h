/// @file
/// How far off the functions of the libraries are taken to be: what every proof of a rounding error rests on. Which
/// function is relied on where, and what its makers say, is in library_errors.md; the test of this file measures each
/// on the machine at hand.
#pragma once

namespace dpbudget::numeric {

/// exp, expm1, log, log1p, log2, exp2, pow, sqrt, tanh, sinh, cosh, atanh, sin, cos, atan2, hypot and erf of the C
/// library, and the parts of its complex functions: in units of the last place.
inline constexpr double elementary_ulps = 4;

/// erfc, likewise, where its value is normal.
inline constexpr double erfc_ulps = 6;

/// boost::math::log1pmx on [-1/2, 1/2], relatively.
inline constexpr double log1pmx_error = 0x1p-49;

/// boost::math::lgamma at integers from 1 to 17, relative to 1 + its value.
inline constexpr double lgamma_error = 0x1p-50;

/// `upper_tail_point`, which is boost::math::erfc_inv, relative to 1 + its magnitude.
inline constexpr double upper_tail_point_error = 1e-14;

/// boost::math::gamma_p and gamma_q of shapes up to 5000, relatively, where they are above 1e-30.
inline constexpr double incomplete_gamma_error = 0x1p-43;

/// boost::math::gamma_q_inv: by what the probability of its result differs from what was asked for, relatively.
inline constexpr double gamma_quantile_error = 1e-6;

/// boost::math::cos_pi of an Extended at the quotients of integers to 128, absolutely.
inline constexpr double extended_cosine_error = 0x1p-61;

}  // namespace dpbudget::numeric
