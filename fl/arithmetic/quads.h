/// @file
/// Four doubles at once, of AVX2: what squares of either scalar are added up in. To be included by the files that are
/// compiled for it, as tiles.h is.
#pragma once

#include <immintrin.h>

#include <cstddef>

namespace dpbudget::fl {
namespace {

struct Quads {
  using Doubles = __m256d;
  static Doubles no_doubles() { return _mm256_setzero_pd(); }
  static Doubles add_doubles(Doubles a, Doubles b) { return _mm256_add_pd(a, b); }
  static double fold(Doubles sums) {
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(sums), _mm256_extractf128_pd(sums, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
};

struct QuadsOfFloats : Quads {
  static __m128i mask_of_doubles(std::ptrdiff_t count) {
    return _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(count)), _mm_setr_epi32(0, 1, 2, 3));
  }
  static Doubles doubles(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }
  static Doubles doubles(const float* from, __m128i mask) { return _mm256_cvtps_pd(_mm_maskload_ps(from, mask)); }
  // Squares of floats are exact, so that rounding once rounds as adding them does.
  static Doubles add_squares(Doubles sum, Doubles entries) { return _mm256_fmadd_pd(entries, entries, sum); }
};

struct QuadsOfDoubles : Quads {
  static __m256i mask_of_doubles(std::ptrdiff_t count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(count)), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static Doubles doubles(const double* from) { return _mm256_loadu_pd(from); }
  static Doubles doubles(const double* from, __m256i mask) { return _mm256_maskload_pd(from, mask); }
  static Doubles add_squares(Doubles sum, Doubles entries) {
    return _mm256_add_pd(sum, _mm256_mul_pd(entries, entries));
  }
};

}  // namespace
}  // namespace dpbudget::fl
