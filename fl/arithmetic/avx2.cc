// Compiled for AVX2 with FMA (see CMakeLists.txt); called where the machine has both.
#include "dpbudget/fl/arithmetic/x86_kernels.h"

#ifdef DPBUDGET_HAS_X86_VERSIONS

#include <immintrin.h>

#include "dpbudget/fl/arithmetic/quads.h"
#include "dpbudget/fl/arithmetic/tiles.h"

namespace dpbudget::fl {
namespace {

struct Floats256 : QuadsOfFloats {
  using Scalar = float;
  using Type = __m256;
  using Mask = __m256i;
  static constexpr std::ptrdiff_t lanes = 8;
  static constexpr int rows = 4, vectors = 3;
  static Mask mask(std::ptrdiff_t count) {
    const auto number = static_cast<int>(count < lanes ? count : lanes);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(number), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Type zero() { return _mm256_setzero_ps(); }
  static Type spread(float value) { return _mm256_set1_ps(value); }
  static Type load(const float* from) { return _mm256_loadu_ps(from); }
  static Type load(const float* from, Mask mask) { return _mm256_maskload_ps(from, mask); }
  static void store(float* to, Type value) { _mm256_storeu_ps(to, value); }
  static void store(float* to, Type value, Mask mask) { _mm256_maskstore_ps(to, mask, value); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
  static constexpr std::ptrdiff_t converted_at_once = 4;
  static void convert(const double* from, float* to) { _mm_storeu_ps(to, _mm256_cvtpd_ps(_mm256_loadu_pd(from))); }
};

struct Doubles256 : QuadsOfDoubles {
  using Scalar = double;
  using Type = __m256d;
  using Mask = __m256i;
  static constexpr std::ptrdiff_t lanes = 4;
  static constexpr int rows = 4, vectors = 3;
  static Mask mask(std::ptrdiff_t count) {
    const auto number = static_cast<long long>(count < lanes ? count : lanes);
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(number), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static Type zero() { return _mm256_setzero_pd(); }
  static Type spread(double value) { return _mm256_set1_pd(value); }
  static Type load(const double* from) { return _mm256_loadu_pd(from); }
  static Type load(const double* from, Mask mask) { return _mm256_maskload_pd(from, mask); }
  static void store(double* to, Type value) { _mm256_storeu_pd(to, value); }
  static void store(double* to, Type value, Mask mask) { _mm256_maskstore_pd(to, mask, value); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
  static constexpr std::ptrdiff_t converted_at_once = 4;
  static void convert(const double* from, double* to) { _mm256_storeu_pd(to, _mm256_loadu_pd(from)); }
};

}  // namespace

constinit const MatrixKernels<float> floats_by_avx2 = kernels_of<Floats256>("avx2");
constinit const MatrixKernels<double> doubles_by_avx2 = kernels_of<Doubles256>("avx2");

}  // namespace dpbudget::fl

#endif
