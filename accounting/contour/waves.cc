#include "dpbudget/accounting/contour/waves.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dpbudget/accounting/base/instruction_sets.h"

namespace dpbudget::contour {
namespace {

// By how many steps a multiple may be further than the last: 2^0, 2^1, ...
constexpr int longest = 32;

// Sums that are added up at the end, so that the order is the same whatever the width of the machine's vectors.
constexpr std::size_t lanes = 8;

// In vectors of `width`, as compilers make none of the plain loop.
template <std::size_t width>
[[gnu::always_inline]] inline std::complex<double> turned(double* __restrict real, double* __restrict imaginary,
                                                          const double* __restrict by_real,
                                                          const double* __restrict by_imaginary, std::size_t count) {
  using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
  static_assert(sizeof(Vector) == width * sizeof(double));
  Vector sums_real[lanes / width] = {};
  Vector sums_imaginary[lanes / width] = {};
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t k = 0; k < lanes / width; ++k) {
      const std::size_t at = i + k * width;
      Vector x;
      Vector y;
      Vector cosine;
      Vector sine;
      std::memcpy(&x, real + at, sizeof x);
      std::memcpy(&y, imaginary + at, sizeof y);
      std::memcpy(&cosine, by_real + at, sizeof cosine);
      std::memcpy(&sine, by_imaginary + at, sizeof sine);
      const Vector turned_x = x * cosine - y * sine;
      const Vector turned_y = x * sine + y * cosine;
      std::memcpy(real + at, &turned_x, sizeof turned_x);
      std::memcpy(imaginary + at, &turned_y, sizeof turned_y);
      sums_real[k] += turned_x;
      sums_imaginary[k] += turned_y;
    }
  }
  double sum_real[lanes];
  double sum_imaginary[lanes];
  std::memcpy(sum_real, sums_real, sizeof sum_real);
  std::memcpy(sum_imaginary, sums_imaginary, sizeof sum_imaginary);
  for (std::size_t i = whole; i < count; ++i) {
    const double x = real[i] * by_real[i] - imaginary[i] * by_imaginary[i];
    imaginary[i] = real[i] * by_imaginary[i] + imaginary[i] * by_real[i];
    real[i] = x;
    sum_real[i - whole] += x;
    sum_imaginary[i - whole] += imaginary[i];
  }
  double x = 0;
  double y = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    x += sum_real[lane];
    y += sum_imaginary[lane];
  }
  return {x, y};
}

std::complex<double> turned_anywhere(double* real, double* imaginary, const double* by_real, const double* by_imaginary,
                                     std::size_t count) {
#ifdef __GNUC__
  return turned<2>(real, imaginary, by_real, by_imaginary, count);
#else
  return turned<1>(real, imaginary, by_real, by_imaginary, count);  // where a vector is one number
#endif
}

#ifdef DPBUDGET_HAS_X86_VERSIONS
// Compilers do not clear the upper halves of registers on all ways out, and what comes after takes several times as
// long.
[[gnu::target("avx2")]] std::complex<double> turned_avx2(double* real, double* imaginary, const double* by_real,
                                                         const double* by_imaginary, std::size_t count) {
  const std::complex<double> sum = turned<4>(real, imaginary, by_real, by_imaginary, count);
  __builtin_ia32_vzeroupper();
  return sum;
}

[[gnu::target("avx512f")]] std::complex<double> turned_avx512(double* real, double* imaginary, const double* by_real,
                                                              const double* by_imaginary, std::size_t count) {
  const std::complex<double> sum = turned<8>(real, imaginary, by_real, by_imaginary, count);
  __builtin_ia32_vzeroupper();
  return sum;
}
#endif

constexpr TurnVersion versions[] = {
    {"any", turned_anywhere},
#ifdef DPBUDGET_HAS_X86_VERSIONS
    {"avx2", turned_avx2},
    {"avx512f", turned_avx512},
#endif
};

}  // namespace

void aim(Waves& waves, double s, std::span<const double> x) {
  waves.real.resize(x.size());
  waves.imaginary.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double angle = s * x[i];
    const double sine = std::sin(angle);
    waves.real[i] = std::cos(angle);
    waves.imaginary[i] = sine;
  }
}

std::complex<double> turn(Waves& waves, const Waves& by) { return turn(waves, by, 0, waves.real.size()); }

std::complex<double> turn(Waves& waves, const Waves& by, std::size_t begin, std::size_t end) {
  static const TurnVersion& version = turn_versions().back();
  return version.turn(waves.real.data() + begin, waves.imaginary.data() + begin, by.real.data() + begin,
                      by.imaginary.data() + begin, end - begin);
}

const Waves* Turns::to(double s, std::span<const double> x) {
  if (step_ == 0) step_ = s;
  const double steps = (s - last_) / step_;
  last_ = s;
  int exponent = 0;
  const bool is_stride = std::frexp(steps, &exponent) == 0.5 && 1 <= exponent && exponent <= longest;
  if (!is_aimed_ || !is_stride || turned_ + 1 >= most_) {
    is_aimed_ = true;
    turned_ = 0;
    return nullptr;
  }
  ++turned_;
  const auto stride = static_cast<std::size_t>(exponent - 1);
  if (strides_.size() <= stride) strides_.resize(stride + 1);
  Waves& by = strides_[stride];
  if (by.real.empty()) aim(by, std::ldexp(step_, static_cast<int>(stride)), x);
  return &by;
}

void Turns::pass(double s) {
  if (step_ == 0) step_ = s;
  last_ = s;
  is_aimed_ = false;
}

double Turns::at_stride(double s, double until) const {
  constexpr double rounding = 1e-6;  // the multiples of the step that are skipped are counted in double
  const double skipped = (until - s) / step_ - rounding;
  if (!(skipped >= 1)) return 0;
  const int stride = std::min(longest - 1, static_cast<int>(std::log2(std::floor(skipped) + 1)));
  return s + std::min(std::ldexp(1.0, stride) - 0.5, skipped) * step_;
}

std::span<const TurnVersion> turn_versions() { return std::span(versions).first(versions_here()); }

}  // namespace dpbudget::contour
