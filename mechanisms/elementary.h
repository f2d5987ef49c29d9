/// @file
/// A logarithm, a sine and a cosine whose bits are the same on every machine: IEEE's +, -, *, / and fused
/// multiply-adds, and integers. Those of C libraries differ in their last places from one library to the next, and on
/// one machine from one set of instructions to the next; and a compiler makes no vectors of them.
///
/// Polynomials are minimax for the relative error of the whole function, found by Remez' exchange in 60 digits, each
/// coefficient rounded to a double from the lowest on and the rest fitted again.
#pragma once

#include <bit>
#include <cstdint>

namespace dpbudget::mechanisms {

// Functions are inlined, so that they are compiled for the instructions of their callers, whose operations they take:
// Plain of operations.h or another of them.

/// Of one angle.
struct SineAndCosine {
  double sine;
  double cosine;
};

namespace detail {
inline constexpr std::uint64_t mantissa = 0x000fffffffffffff;
inline constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
constexpr std::uint64_t bits_of_power(int exponent) { return static_cast<std::uint64_t>(1023 + exponent) << 52U; }
}  // namespace detail

/// @return (word + 1/2) 2^-64, rounded to the next 53 bits twice as r123::u01 does: in [2^-65, 1]
template <class Operations>
[[gnu::always_inline]] inline double unit_of(std::uint64_t word) {
  return Operations::of(word) * 0x1p-64 + 0x1p-65;
}

/// @param x  positive, normal and finite
/// @return -2 log x, to 0.84 ulp at most in 6 million that were compared; zero for 1
template <class Operations>
[[gnu::always_inline]] inline double minus_twice_log(double x) {
  using namespace detail;
  const auto fused = [](double a, double b, double c) { return Operations::fused(a, b, c); };
  // x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), so that nothing cancels near 1.
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (bits_of_power(0) - root_half);
  const double k = std::bit_cast<double>((shifted >> 52U) | bits_of_power(52)) - (0x1p52 + 1023);
  const double f = std::bit_cast<double>((shifted & mantissa) + root_half) - 1;  // exact
  // log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + r) with s = f / (2 + f), |s| < 0.1716, and r = 2 atanh(s) / s - 2:
  // so f, which is exact, is the largest term, and the others' errors are smaller. 2 r is a polynomial of degree 7 in
  // s^2, of relative error 2^-59 in the logarithm.
  const double s = f / (2 + f);
  const double t = s * s;
  const double t2 = t * t;
  const double odd = fused(t2, fused(t2, fused(t2, 0x1.2f0251b1215b9p-2, 0x1.74663ba367d5dp-2), 0x1.24924941db48ep-1),
                           0x1.5555555555592p0);
  const double even = fused(t2, fused(t2, 0x1.39a20ba0d9655p-2, 0x1.c71c521a1922ep-2), 0x1.999999997ff63p-1);
  const double square = f * f;
  // 2 log 2 in two parts, of which the first has 41 bits: its product with k is exact.
  constexpr double high = 0x1.62e42fefa4p0;
  constexpr double low = -0x1.8432a1b0e2634p-42;
  const double rest = square - fused(k, low, s * fused(t2, even, fused(t, odd, square)));
  return fused(-k, high, fused(-2, f, rest));
}

/// @return sine and cosine of the angle (word + 1/2) 2^-64 of a turn, to 1.3 ulp at most in 6 million that
/// were compared, near their zeros too, which no word hits
template <class Operations>
[[gnu::always_inline]] inline SineAndCosine sine_and_cosine_of(std::uint64_t word) {
  using namespace detail;
  const auto fused = [](double a, double b, double c) { return Operations::fused(a, b, c); };
  // The quarter turns that lie nearest are the top bits of this; what is left is y eighths of a turn, y in [-1, 1], of
  // which the rest of the word is a signed number of 62 bits, to be rounded once.
  const std::uint64_t turn = word + (std::uint64_t{1} << 61U);
  const double y = Operations::of(static_cast<std::int64_t>(word << 2U | 2U)) * 0x1p-63;
  const double z = y * y;
  // sin(pi/4 y) = pi/4 y + y z P(z), of relative error 2^-57.9.
  constexpr double eighth = 0x1.921fb54442d18p-1;
  constexpr double eighth_low = 0x1.1a62633145c07p-55;  // the rest of pi/4
  const double cubic =
      fused(z,
            fused(z,
                  fused(z, fused(z, fused(z, 0x1.e3fbe43c0cf9cp-38, -0x1.e3008fae0fa04p-30), 0x1.50783003477c2p-22),
                        -0x1.32d2cce31bf06p-15),
                  0x1.466bc67758c4cp-9),
            -0x1.4abbce625be46p-4);
  const double sine = fused(y, eighth, y * fused(z, cubic, eighth_low));
  // cos(pi/4 y) = 1 + z Q(z), of relative error 2^-61.4: z Q is at most 0.3, and so are its roundings.
  const double quadratic = fused(
      z,
      fused(z,
            fused(z,
                  fused(z, fused(z, fused(z, -0x1.b0345e9d891e3p-42, 0x1.f9c4adc049a25p-34), -0x1.a6d1e238ee466p-26),
                        0x1.e1f50675b20c8p-19),
                  -0x1.55d3c7e3bfe56p-12),
            0x1.03c1f081b5a52p-6),
      -0x1.3bd3cc9be45dep-2);
  const double cosine = fused(z, quadratic, 1);
  // An odd number of quarter turns exchanges the two; the sine is negative in the last two quarters, the cosine in the
  // middle ones.
  const auto sine_bits = std::bit_cast<std::uint64_t>(sine);
  const auto cosine_bits = std::bit_cast<std::uint64_t>(cosine);
  const std::uint64_t exchanged = (sine_bits ^ cosine_bits) & (0 - (turn >> 62U & 1U));
  return {std::bit_cast<double>(sine_bits ^ exchanged ^ (turn & sign)),
          std::bit_cast<double>(cosine_bits ^ exchanged ^ ((turn ^ turn << 1U) & sign))};
}

}  // namespace dpbudget::mechanisms
