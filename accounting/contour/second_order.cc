#include "dpbudget/accounting/contour/second_order.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dpbudget/accounting/base/instruction_sets.h"

namespace dpbudget::contour {
namespace {

// Up to it, a few terms of the series are right to the last bits.
constexpr double small_angle = 0.5;
constexpr double square_of_small = small_angle * small_angle;

// Sums that are added up at the end, so that the order is the same whatever the width of the machine's vectors.
constexpr std::size_t lanes_of_sum = 8;

// The real part for small t is -t^2 / 2 (1 - t^2 even[0] (1 - t^2 even[1] (...))), and the imaginary one -t^3 / 6 times
// the same with the odd ones. They are rounded, of terms that are small beside the first.
constexpr double even[] = {1.0 / 12, 1.0 / 30, 1.0 / 56, 1.0 / 90, 1.0 / 132};
constexpr double odd[] = {1.0 / 20, 1.0 / 42, 1.0 / 72, 1.0 / 110, 1.0 / 156};

std::complex<double> of_small(double t) {
  const double y = t * t;
  const double real = 1 - y * even[0] * (1 - y * even[1] * (1 - y * even[2] * (1 - y * even[3] * (1 - y * even[4]))));
  const double imaginary = 1 - y * odd[0] * (1 - y * odd[1] * (1 - y * odd[2] * (1 - y * odd[3] * (1 - y * odd[4]))));
  return {-(y * 0.5 * real), -(y * t * (1.0 / 6) * imaginary)};
}

template <std::size_t width>
[[gnu::always_inline]] inline std::complex<double> summed(const double* __restrict weights, const double* __restrict x,
                                                          double s, std::size_t count) {
  using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
  Vector sums_real[lanes_of_sum / width] = {};
  Vector sums_imaginary[lanes_of_sum / width] = {};
  const std::size_t whole = count / lanes_of_sum * lanes_of_sum;
  for (std::size_t i = 0; i < whole; i += lanes_of_sum) {
    for (std::size_t k = 0; k < lanes_of_sum / width; ++k) {
      Vector t;
      Vector weight;
      std::memcpy(&t, x + i + k * width, sizeof t);
      std::memcpy(&weight, weights + i + k * width, sizeof weight);
      t *= s;
      const Vector y = t * t;
      const Vector real =
          1 - y * even[0] * (1 - y * even[1] * (1 - y * even[2] * (1 - y * even[3] * (1 - y * even[4]))));
      const Vector imaginary =
          1 - y * odd[0] * (1 - y * odd[1] * (1 - y * odd[2] * (1 - y * odd[3] * (1 - y * odd[4]))));
      sums_real[k] += weight * (y * 0.5 * real);
      sums_imaginary[k] += weight * (y * t * (1.0 / 6) * imaginary);
    }
  }
  double sum_real[lanes_of_sum];
  double sum_imaginary[lanes_of_sum];
  std::memcpy(sum_real, sums_real, sizeof sum_real);
  std::memcpy(sum_imaginary, sums_imaginary, sizeof sum_imaginary);
  for (std::size_t i = whole; i < count; ++i) {
    const std::complex<double> term = of_small(x[i] * s);
    sum_real[i - whole] += weights[i] * -term.real();
    sum_imaginary[i - whole] += weights[i] * -term.imag();
  }
  double real = 0;
  double imaginary = 0;
  for (std::size_t lane = 0; lane < lanes_of_sum; ++lane) {
    real += sum_real[lane];
    imaginary += sum_imaginary[lane];
  }
  return {-real, -imaginary};
}

template <std::size_t width>
[[gnu::always_inline]] inline void each_of(const double* __restrict x, double s, const double* __restrict wave_real,
                                           const double* __restrict wave_imaginary,
                                           const double* __restrict even_weight, const double* __restrict odd_weight,
                                           double* __restrict out_real, double* __restrict out_imaginary,
                                           std::size_t count) {
  using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
  const std::size_t whole = count / width * width;
  for (std::size_t i = 0; i < whole; i += width) {
    Vector t;
    Vector cosine;
    Vector sine;
    Vector weight_real;
    Vector weight_imaginary;
    std::memcpy(&t, x + i, sizeof t);
    std::memcpy(&cosine, wave_real + i, sizeof cosine);
    std::memcpy(&sine, wave_imaginary + i, sizeof sine);
    std::memcpy(&weight_real, even_weight + i, sizeof weight_real);
    std::memcpy(&weight_imaginary, odd_weight + i, sizeof weight_imaginary);
    t *= s;
    const Vector y = t * t;
    const Vector real = 1 - y * even[0] * (1 - y * even[1] * (1 - y * even[2] * (1 - y * even[3] * (1 - y * even[4]))));
    const Vector imaginary = 1 - y * odd[0] * (1 - y * odd[1] * (1 - y * odd[2] * (1 - y * odd[3] * (1 - y * odd[4]))));
    weight_real *= y > square_of_small ? cosine - 1 : -(y * 0.5 * real);
    weight_imaginary *= y > square_of_small ? sine - t : -(y * t * (1.0 / 6) * imaginary);
    std::memcpy(out_real + i, &weight_real, sizeof weight_real);
    std::memcpy(out_imaginary + i, &weight_imaginary, sizeof weight_imaginary);
  }
  for (std::size_t i = whole; i < count; ++i) {
    const double t = x[i] * s;
    const std::complex<double> bend =
        t * t > square_of_small ? std::complex<double>(wave_real[i] - 1, wave_imaginary[i] - t) : of_small(t);
    out_real[i] = even_weight[i] * bend.real();
    out_imaginary[i] = odd_weight[i] * bend.imag();
  }
}

std::complex<double> summed_anywhere(const double* weights, const double* x, double s, std::size_t count) {
#ifdef __GNUC__
  return summed<2>(weights, x, s, count);
#else
  return summed<1>(weights, x, s, count);  // where a vector is one number
#endif
}

void each_anywhere(const double* x, double s, const double* wave_real, const double* wave_imaginary, const double* even,
                   const double* odd, double* real, double* imaginary, std::size_t count) {
#ifdef __GNUC__
  each_of<2>(x, s, wave_real, wave_imaginary, even, odd, real, imaginary, count);
#else
  each_of<1>(x, s, wave_real, wave_imaginary, even, odd, real, imaginary, count);  // where a vector is one number
#endif
}

#ifdef DPBUDGET_HAS_X86_VERSIONS
// Compilers do not clear the upper halves of registers on all ways out, and what comes after takes several times as
// long.
[[gnu::target("avx2")]] std::complex<double> summed_avx2(const double* weights, const double* x, double s,
                                                         std::size_t count) {
  const std::complex<double> sum = summed<4>(weights, x, s, count);
  __builtin_ia32_vzeroupper();
  return sum;
}

[[gnu::target("avx512f")]] std::complex<double> summed_avx512(const double* weights, const double* x, double s,
                                                              std::size_t count) {
  const std::complex<double> sum = summed<8>(weights, x, s, count);
  __builtin_ia32_vzeroupper();
  return sum;
}

[[gnu::target("avx2")]] void each_avx2(const double* x, double s, const double* wave_real, const double* wave_imaginary,
                                       const double* even, const double* odd, double* real, double* imaginary,
                                       std::size_t count) {
  each_of<4>(x, s, wave_real, wave_imaginary, even, odd, real, imaginary, count);
  __builtin_ia32_vzeroupper();
}

[[gnu::target("avx512f")]] void each_avx512(const double* x, double s, const double* wave_real,
                                            const double* wave_imaginary, const double* even, const double* odd,
                                            double* real, double* imaginary, std::size_t count) {
  each_of<8>(x, s, wave_real, wave_imaginary, even, odd, real, imaginary, count);
  __builtin_ia32_vzeroupper();
}
#endif

constexpr SecondOrderVersion versions_of_second_order[] = {
    {"any", summed_anywhere, each_anywhere},
#ifdef DPBUDGET_HAS_X86_VERSIONS
    {"avx2", summed_avx2, each_avx2},
    {"avx512f", summed_avx512, each_avx512},
#endif
};

}  // namespace

std::complex<double> second_order(double t) {
  return std::abs(t) > small_angle ? std::complex<double>(std::cos(t) - 1, std::sin(t) - t) : of_small(t);
}

SmallAngles small_angles(std::span<const double> x, double s) {
  const auto first = std::ranges::partition_point(x, [&](double at) { return s * at < -small_angle; });
  const auto last = std::ranges::partition_point(first, x.end(), [&](double at) { return s * at <= small_angle; });
  return {static_cast<std::size_t>(first - x.begin()), static_cast<std::size_t>(last - x.begin())};
}

std::complex<double> sum_of_small(std::span<const double> weights, std::span<const double> x, double s,
                                  const SmallAngles& small) {
  static const SecondOrderVersion& version = second_order_versions().back();
  return version.sum(weights.data() + small.begin, x.data() + small.begin, s, small.end - small.begin);
}

void second_orders(std::span<const double> x, double s, const Waves& waves, std::span<const double> even,
                   std::span<const double> odd, Waves& out) {
  static const SecondOrderVersion& version = second_order_versions().back();
  out.real.resize(x.size());
  out.imaginary.resize(x.size());
  version.each(x.data(), s, waves.real.data(), waves.imaginary.data(), even.data(), odd.data(), out.real.data(),
               out.imaginary.data(), x.size());
}

std::span<const SecondOrderVersion> second_order_versions() {
  return std::span(versions_of_second_order).first(versions_here());
}

}  // namespace dpbudget::contour
