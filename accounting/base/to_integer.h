/// @file
/// Floating-point values as integers. A cast leaves undefined what becomes of a value that the integer cannot hold;
/// this is the one place that casts.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

namespace dpbudget {

/// Whether `value`, rounded towards 0, is an Integer; NaN is none.
template <std::integral Integer, std::floating_point Real>
constexpr bool fits_integer(Real value) {
  using Limits = std::numeric_limits<Integer>;
  // 0 or powers of two, which every Real holds; `least - 1` is `least` again where a Real has fewer digits.
  constexpr Real least = static_cast<Real>(Limits::min());
  constexpr Integer half_of_end = Limits::max() / 2 + 1;
  constexpr Real end = 2 * static_cast<Real>(half_of_end);
  return (least <= value || least - 1 < value) && value < end;
}

/// @throws InvalidArgument always: `value` is not in [least, most]
[[noreturn]] void refuse_integer(std::string_view name, double value, std::int64_t least, std::uint64_t most);

/// `value` rounded towards 0.
/// @param name  of what is converted, for the error
/// @throws InvalidArgument when `value` is NaN or beyond the Integer's range
template <std::integral Integer, std::floating_point Real>
Integer to_integer(Real value, std::string_view name) {
  using Limits = std::numeric_limits<Integer>;
  if (!fits_integer<Integer>(value)) refuse_integer(name, static_cast<double>(value), Limits::min(), Limits::max());
  return static_cast<Integer>(value);
}

}  // namespace dpbudget
