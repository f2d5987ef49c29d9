// Compiled for AVX-512 (see CMakeLists.txt); called where the machine has it.
#include "dpbudget/fl/arithmetic/x86_kernels.h"

#ifdef DPBUDGET_HAS_X86_VERSIONS

#include <immintrin.h>

#include "dpbudget/fl/arithmetic/quads.h"
#include "dpbudget/fl/arithmetic/tiles.h"

namespace dpbudget::fl {
namespace {

struct Floats512 : QuadsOfFloats {
  using Scalar = float;
  using Type = __m512;
  using Mask = __mmask16;
  static constexpr std::ptrdiff_t lanes = 16;
  static constexpr int rows = 8, vectors = 3;
  static Mask mask(std::ptrdiff_t count) { return static_cast<Mask>(count < lanes ? (1U << count) - 1 : 0xffffU); }
  static Type zero() { return _mm512_setzero_ps(); }
  static Type spread(float value) { return _mm512_set1_ps(value); }
  static Type load(const float* from) { return _mm512_loadu_ps(from); }
  static Type load(const float* from, Mask mask) { return _mm512_maskz_loadu_ps(mask, from); }
  static void store(float* to, Type value) { _mm512_storeu_ps(to, value); }
  static void store(float* to, Type value, Mask mask) { _mm512_mask_storeu_ps(to, mask, value); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm512_fmadd_ps(a, b, c); }
  static constexpr std::ptrdiff_t converted_at_once = 8;
  static void convert(const double* from, float* to) { _mm256_storeu_ps(to, _mm512_cvtpd_ps(_mm512_loadu_pd(from))); }
};

struct Doubles512 : QuadsOfDoubles {
  using Scalar = double;
  using Type = __m512d;
  using Mask = __mmask8;
  static constexpr std::ptrdiff_t lanes = 8;
  static constexpr int rows = 8, vectors = 3;
  static Mask mask(std::ptrdiff_t count) { return static_cast<Mask>(count < lanes ? (1U << count) - 1 : 0xffU); }
  static Type zero() { return _mm512_setzero_pd(); }
  static Type spread(double value) { return _mm512_set1_pd(value); }
  static Type load(const double* from) { return _mm512_loadu_pd(from); }
  static Type load(const double* from, Mask mask) { return _mm512_maskz_loadu_pd(mask, from); }
  static void store(double* to, Type value) { _mm512_storeu_pd(to, value); }
  static void store(double* to, Type value, Mask mask) { _mm512_mask_storeu_pd(to, mask, value); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm512_fmadd_pd(a, b, c); }
  static constexpr std::ptrdiff_t converted_at_once = 8;
  static void convert(const double* from, double* to) { _mm512_storeu_pd(to, _mm512_loadu_pd(from)); }
};

}  // namespace

constinit const MatrixKernels<float> floats_by_avx512 = kernels_of<Floats512>("avx512f");
constinit const MatrixKernels<double> doubles_by_avx512 = kernels_of<Doubles512>("avx512f");

}  // namespace dpbudget::fl

#endif
