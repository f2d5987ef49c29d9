#include "dpbudget/fl/arithmetic/kernels.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "dpbudget/fl/arithmetic/tiles.h"
#include "dpbudget/fl/arithmetic/x86_kernels.h"

namespace dpbudget::fl {
namespace {

// In plain C++: of one vector instruction a loop where the machine has them for std::fma, as all 64-bit ARM has.
template <class Scalar_>
struct Plain {
  using Scalar = Scalar_;
  static constexpr std::ptrdiff_t lanes = 4;
  static constexpr int rows = 4, vectors = 1;
  using Type = std::array<Scalar, lanes>;
  using Mask = std::ptrdiff_t;
  static Mask mask(std::ptrdiff_t count) { return count < lanes ? count : lanes; }
  static Type zero() { return {}; }
  static Type spread(Scalar value) { return {value, value, value, value}; }
  static Type load(const Scalar* from) { return {from[0], from[1], from[2], from[3]}; }
  static Type load(const Scalar* from, Mask mask) {
    Type values{};
    for (Mask i = 0; i < mask; ++i) values[static_cast<std::size_t>(i)] = from[i];
    return values;
  }
  static void store(Scalar* to, const Type& value) { store(to, value, lanes); }
  static void store(Scalar* to, const Type& value, Mask mask) {
    for (Mask i = 0; i < mask; ++i) to[i] = value[static_cast<std::size_t>(i)];
  }
  static Type multiply_add(const Type& a, const Type& b, Type c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = std::fma(a[i], b[i], c[i]);
    return c;
  }
  static constexpr std::ptrdiff_t converted_at_once = 4;
  static void convert(const double* from, Scalar* to) {
    for (std::size_t i = 0; i < 4; ++i) to[i] = static_cast<Scalar>(from[i]);
  }
  using Doubles = std::array<double, 4>;
  static Doubles no_doubles() { return {}; }
  static Mask mask_of_doubles(std::ptrdiff_t count) { return mask(count); }
  static Doubles doubles(const Scalar* from) { return {from[0], from[1], from[2], from[3]}; }
  static Doubles doubles(const Scalar* from, Mask mask) {
    Doubles values{};
    for (Mask i = 0; i < mask; ++i) values[static_cast<std::size_t>(i)] = from[i];
    return values;
  }
  static Doubles add_doubles(Doubles a, const Doubles& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  static Doubles add_squares(Doubles sum, const Doubles& entries) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += entries[i] * entries[i];
    return sum;
  }
  static double fold(const Doubles& sums) { return (sums[0] + sums[2]) + (sums[1] + sums[3]); }
};

}  // namespace

template <>
std::span<const MatrixKernels<float>> matrix_kernels<float>() {
  static const MatrixKernels<float> all[] = {
      kernels_of<Plain<float>>("any"),
#ifdef DPBUDGET_HAS_X86_VERSIONS
      floats_by_avx2,
      floats_by_avx512,
#endif
  };
  return std::span(all).first(versions_here());
}

template <>
std::span<const MatrixKernels<double>> matrix_kernels<double>() {
  static const MatrixKernels<double> all[] = {
      kernels_of<Plain<double>>("any"),
#ifdef DPBUDGET_HAS_X86_VERSIONS
      doubles_by_avx2,
      doubles_by_avx512,
#endif
  };
  return std::span(all).first(versions_here());
}

}  // namespace dpbudget::fl
