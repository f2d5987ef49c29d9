/// @file
/// Operations that some instruction sets have and others are without, by the same bits: what loops that are compiled
/// for several of them take as a parameter.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace dpbudget::mechanisms {

// Functions are inlined, so that they are compiled for the instructions of their callers.

namespace detail {
struct Sum {
  double rounded;
  double error;
};
[[gnu::always_inline]] inline Sum exact_sum(double x, double y) {
  const double rounded = x + y;
  const double of_y = rounded - x;
  return {rounded, (x - (rounded - of_y)) + (y - of_y)};
}
}  // namespace detail

/// Rounded once, by sums and products alone, for machines without an instruction for it: of a loop that calls a
/// library's function compilers make no vectors. The product is the sum of two doubles, and the three are added so that
/// what is rounded first is rounded to odd.
/// @param a, b, c  of which no product and no error of a product overflows or underflows
/// @return a b + c
/// @source Boldo, Melquiond 2008, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
/// odd", Fig. 5; Dekker 1971 for the product, Knuth for the sums
[[gnu::always_inline]] inline double fused_by_parts(double a, double b, double c) {
  constexpr double splitter = 0x1p27 + 1;
  const double a_high = splitter * a - (splitter * a - a), a_low = a - a_high;
  const double b_high = splitter * b - (splitter * b - b), b_low = b - b_high;
  const double product = a * b;
  const double product_error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  const detail::Sum low = detail::exact_sum(c, product_error);
  const detail::Sum high = detail::exact_sum(product, low.rounded);
  const detail::Sum rest = detail::exact_sum(low.error, high.error);
  // To odd: of the two neighbours of an inexact sum the one whose last bit is set.
  const auto bits = std::bit_cast<std::uint64_t>(rest.rounded);
  const std::uint64_t opposite = (bits ^ std::bit_cast<std::uint64_t>(rest.error)) >> 63U;
  constexpr std::uint64_t magnitude = 0x7fffffffffffffff;
  const std::uint64_t is_inexact = ((std::bit_cast<std::uint64_t>(rest.error) & magnitude) + magnitude) >> 63U;
  const std::uint64_t moved = is_inexact & ~bits;
  return high.rounded + std::bit_cast<double>(bits + moved - 2 * (moved & opposite));
}

/// Of any machine.
struct Plain {
  /// @return a b + c, rounded once
  [[gnu::always_inline]] static double fused(double a, double b, double c) {
#if defined(FP_FAST_FMA) || defined(__aarch64__) || defined(__FMA__)
    return std::fma(a, b, c);
#else
    return fused_by_parts(a, b, c);
#endif
  }

  /// Few vector instructions convert 64 bits. The halves become doubles as the low bits of powers of two that are taken
  /// off again, and only the sum is rounded.
  [[gnu::always_inline]] static double of(std::uint64_t number) {
    return (high_half(number >> 32U) - (0x1p84 + 0x1p52)) + low_half(number);
  }
  [[gnu::always_inline]] static double of(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    return (high_half(bits >> 32U ^ 0x80000000) - (0x1p84 + 0x1p63 + 0x1p52)) + low_half(bits);
  }

 private:
  [[gnu::always_inline]] static double high_half(std::uint64_t half) {
    return std::bit_cast<double>(half | 0x4530000000000000);  // 2^84 + 2^32 half
  }
  [[gnu::always_inline]] static double low_half(std::uint64_t number) {
    return std::bit_cast<double>((number & 0xffffffff) | 0x4330000000000000);  // 2^52 + half
  }
};

/// Of a machine that multiplies and adds at once.
struct Fused : Plain {
  [[gnu::always_inline]] static double fused(double a, double b, double c) { return std::fma(a, b, c); }
};

/// Of one that converts vectors of 64-bit integers, too.
struct Converting : Fused {
  [[gnu::always_inline]] static double of(std::uint64_t number) { return static_cast<double>(number); }
  [[gnu::always_inline]] static double of(std::int64_t number) { return static_cast<double>(number); }
};

}  // namespace dpbudget::mechanisms
