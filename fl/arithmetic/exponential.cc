#include "dpbudget/fl/arithmetic/exponential.h"

#include <bit>
#include <cstdint>

#include "dpbudget/accounting/base/instruction_sets.h"

namespace dpbudget::fl {
namespace {

// x = n log 2 + r, |r| at most half of log 2: a number added and taken off again rounds to the integer n, which is then
// in the low bits. The polynomials are Taylor's, whose remainders are below 2^-57 and 2^-27 of the result.

[[gnu::always_inline]] inline double exponential(double given) {
  const double x = given < -708 ? -708 : given;
  constexpr double rounder = 0x1.8p52;
  const double shifted = x * 0x1.71547652b82fep0 + rounder;
  const double n = shifted - rounder;
  // The first part of log 2 has 41 bits: its product with n is exact.
  const double r = (x - n * 0x1.62e42fefa4p-1) + n * 0x1.8432a1b0e2634p-43;
  double tail = 1.0 / 6227020800;
  tail = tail * r + 1.0 / 479001600;
  tail = tail * r + 1.0 / 39916800;
  tail = tail * r + 1.0 / 3628800;
  tail = tail * r + 1.0 / 362880;
  tail = tail * r + 1.0 / 40320;
  tail = tail * r + 1.0 / 5040;
  tail = tail * r + 1.0 / 720;
  tail = tail * r + 1.0 / 120;
  tail = tail * r + 1.0 / 24;
  tail = tail * r + 1.0 / 6;
  tail = tail * r + 0.5;
  const double result = 1 + (r + r * r * tail);
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) << 52U) + 0x3ff0000000000000;
  return result * std::bit_cast<double>(power);
}

[[gnu::always_inline]] inline float exponential(float given) {
  const float x = given < -87 ? -87 : given;
  constexpr float rounder = 0x1.8p23F;
  const float shifted = x * 0x1.715476p0F + rounder;
  const float n = shifted - rounder;
  const float r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
  float tail = 1.0F / 5040;
  tail = tail * r + 1.0F / 720;
  tail = tail * r + 1.0F / 120;
  tail = tail * r + 1.0F / 24;
  tail = tail * r + 1.0F / 6;
  tail = tail * r + 0.5F;
  const float result = 1 + (r + r * r * tail);
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) << 23U) + 0x3f800000;
  return result * std::bit_cast<float>(power);
}

// A plain loop, of which compilers make vectors.
template <class Scalar>
[[gnu::always_inline]] inline void in_place(Scalar* __restrict values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = exponential(values[i]);
}

void doubles_anywhere(double* values, std::size_t count) { in_place(values, count); }
void floats_anywhere(float* values, std::size_t count) { in_place(values, count); }

#ifdef DPBUDGET_HAS_X86_VERSIONS
[[gnu::target("avx2")]] void doubles_avx2(double* values, std::size_t count) { in_place(values, count); }
[[gnu::target("avx2")]] void floats_avx2(float* values, std::size_t count) { in_place(values, count); }
[[gnu::target("avx512f")]] void doubles_avx512(double* values, std::size_t count) { in_place(values, count); }
[[gnu::target("avx512f")]] void floats_avx512(float* values, std::size_t count) { in_place(values, count); }
#endif

constexpr ExponentialVersion versions[] = {
    {"any", doubles_anywhere, floats_anywhere},
#ifdef DPBUDGET_HAS_X86_VERSIONS
    {"avx2", doubles_avx2, floats_avx2},
    {"avx512f", doubles_avx512, floats_avx512},
#endif
};

const ExponentialVersion& fastest_version() {
  static const ExponentialVersion& version = exponential_versions().back();
  return version;
}

}  // namespace

void exponentials(std::span<double> values) { fastest_version().doubles(values.data(), values.size()); }
void exponentials(std::span<float> values) { fastest_version().floats(values.data(), values.size()); }

std::span<const ExponentialVersion> exponential_versions() { return std::span(versions).first(versions_here()); }

}  // namespace dpbudget::fl
