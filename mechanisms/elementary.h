/// @file
/// A logarithm, a sine and a cosine whose bits are the same on every machine: IEEE's +, -, * and /, and integers. Those
/// of C libraries differ in their last places from one library to the next, and on one machine from one set of
/// instructions to the next; and a compiler makes no vectors of them.
///
/// Polynomials are minimax for the relative error of the whole function, found by Remez' exchange in 60 digits, each
/// coefficient rounded to a double from the lowest on and the rest fitted again.
#pragma once

#include <bit>
#include <cstdint>

namespace dpbudget::mechanisms {

// Functions are inlined, so that they are compiled for the instructions of their callers.

/// Of one angle.
struct SineAndCosine {
  double sine;
  double cosine;
};

// Integers become doubles as the low bits of a power of two that is taken off again, for few vector instructions
// convert 64 bits. Added to an integer below 2^52, the bits of 2^(52 + k) make it 2^(52 + k) and its 2^k-fold.
namespace detail {
inline constexpr std::uint64_t low_half = 0xffffffff;
inline constexpr std::uint64_t mantissa = 0x000fffffffffffff;
inline constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
constexpr std::uint64_t bits_of_power(int exponent) { return static_cast<std::uint64_t>(1023 + exponent) << 52U; }
}  // namespace detail

/// @return (word + 1/2) 2^-64, rounded to the next 53 bits twice as r123::u01 does: in [2^-65, 1]
[[gnu::always_inline]] inline double unit_of(std::uint64_t word) {
  using namespace detail;
  const double high = std::bit_cast<double>((word >> 32U) | bits_of_power(20));
  const double low = std::bit_cast<double>((word & low_half) | bits_of_power(-12));
  return ((high - (0x1p20 + 0x1p-12)) + low) + 0x1p-65;
}

/// @param x  positive, normal and finite
/// @return -2 log x, to 0.84 ulp at most in 6 million that were compared; zero for 1
[[gnu::always_inline]] inline double minus_twice_log(double x) {
  using namespace detail;
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
  const double odd =
      0x1.5555555555592p0 + t2 * (0x1.24924941db48ep-1 + t2 * (0x1.74663ba367d5dp-2 + t2 * 0x1.2f0251b1215b9p-2));
  const double even = 0x1.999999997ff63p-1 + t2 * (0x1.c71c521a1922ep-2 + t2 * 0x1.39a20ba0d9655p-2);
  const double square = f * f;
  // 2 log 2 in two parts, of which the first has 41 bits: its product with k is exact.
  constexpr double high = 0x1.62e42fefa4p0;
  constexpr double low = -0x1.8432a1b0e2634p-42;
  return ((square - (s * (square + (t * odd + t2 * even)) + k * low)) - 2 * f) - k * high;
}

/// @return sine and cosine of the angle (word + 1/2) 2^-64 of a turn, to 1.4 ulp at most in 6 million that
/// were compared, near their zeros too, which no word hits
[[gnu::always_inline]] inline SineAndCosine sine_and_cosine_of(std::uint64_t word) {
  using namespace detail;
  // The quarter turns that lie nearest are the top bits of this; what is left is y eighths of a turn, y in [-1, 1], of
  // which the rest of the bits are y + 1.
  const std::uint64_t turn = word + (std::uint64_t{1} << 61U);
  const std::uint64_t left = (turn & (sign / 2 - 1)) + (std::uint64_t{1} << 31U);
  // y = high + low, both exact, low at most half of the last place of high: where high is not zero, it decides y.
  const double high = std::bit_cast<double>((left >> 32U) | bits_of_power(23)) - (0x1p23 + 1);
  const double low = (std::bit_cast<double>((left & low_half) | bits_of_power(-9)) - (0x1p-9 + 0x1p-30)) + 0x1p-62;
  const double y = high + low;
  const double z = y * y;
  // sin(pi/4 y) = pi/4 y + y z P(z), of relative error 2^-57.9. The product of high, of 30 bits, and the first 23 bits
  // of pi/4 is exact, so that little more is rounded than the sum.
  constexpr double eighth = 0x1.921fb4p-1;
  constexpr double eighth_low = 0x1.4442d18469899p-25;
  const double cubic =
      z * (-0x1.4abbce625be46p-4 +
           z * (0x1.466bc67758c4cp-9 +
                z * (-0x1.32d2cce31bf06p-15 +
                     z * (0x1.50783003477c2p-22 + z * (-0x1.e3008fae0fa04p-30 + z * 0x1.e3fbe43c0cf9cp-38)))));
  const double sine = high * eighth + (low * eighth + y * (eighth_low + cubic));
  // cos(pi/4 y) = 1 + z Q(z), of relative error 2^-61.4: z Q is at most 0.3, and so are its roundings.
  const double cosine =
      1 +
      z * (-0x1.3bd3cc9be45dep-2 +
           z * (0x1.03c1f081b5a52p-6 +
                z * (-0x1.55d3c7e3bfe56p-12 +
                     z * (0x1.e1f50675b20c8p-19 +
                          z * (-0x1.a6d1e238ee466p-26 + z * (0x1.f9c4adc049a25p-34 + z * -0x1.b0345e9d891e3p-42))))));
  // An odd number of quarter turns exchanges the two; the sine is negative in the last two quarters, the cosine in the
  // middle ones.
  const auto sine_bits = std::bit_cast<std::uint64_t>(sine);
  const auto cosine_bits = std::bit_cast<std::uint64_t>(cosine);
  const std::uint64_t exchanged = (sine_bits ^ cosine_bits) & (0 - (turn >> 62U & 1U));
  return {std::bit_cast<double>(sine_bits ^ exchanged ^ (turn & sign)),
          std::bit_cast<double>(cosine_bits ^ exchanged ^ ((turn ^ turn << 1U) & sign))};
}

}  // namespace dpbudget::mechanisms
