#include "dpbudget/accounting/contour/weighted_sums.h"

#include <cstring>

#include "dpbudget/accounting/base/instruction_sets.h"

namespace dpbudget::contour {
namespace {

// Sums of so many vectors are kept in registers.
constexpr std::size_t vectors_at_once = 4;

// Of `vectors` times `width` neighbours, for each of which as many weights lie `stride` apart as there are numbers.
template <std::size_t width, std::size_t vectors>
[[gnu::always_inline]] inline void add_to_neighbours(const double* weights, std::size_t stride, const Waves& numbers,
                                                     double* real, double* imaginary) {
  using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
  Vector sum_real[vectors];
  Vector sum_imaginary[vectors];
  std::memcpy(sum_real, real, sizeof sum_real);
  std::memcpy(sum_imaginary, imaginary, sizeof sum_imaginary);
  const std::size_t count = numbers.real.size();
  for (std::size_t i = 0; i < count; ++i, weights += stride) {
    for (std::size_t k = 0; k < vectors; ++k) {
      Vector weight;
      std::memcpy(&weight, weights + k * width, sizeof weight);
      sum_real[k] += weight * numbers.real[i];
      sum_imaginary[k] += weight * numbers.imaginary[i];
    }
  }
  std::memcpy(real, sum_real, sizeof sum_real);
  std::memcpy(imaginary, sum_imaginary, sizeof sum_imaginary);
}

template <std::size_t width>
[[gnu::always_inline]] inline void add_all(const double* weights, const Waves& numbers, std::span<double> real,
                                           std::span<double> imaginary) {
  if (numbers.real.empty()) return;
  const std::size_t columns = real.size();
  std::size_t j = 0;
  for (; j + vectors_at_once * width <= columns; j += vectors_at_once * width)
    add_to_neighbours<width, vectors_at_once>(weights + j, columns, numbers, &real[j], &imaginary[j]);
  for (; j + width <= columns; j += width)
    add_to_neighbours<width, 1>(weights + j, columns, numbers, &real[j], &imaginary[j]);
  for (; j < columns; ++j) add_to_neighbours<1, 1>(weights + j, columns, numbers, &real[j], &imaginary[j]);
}

void add_anywhere(const double* weights, const Waves& numbers, std::span<double> real, std::span<double> imaginary) {
#ifdef __GNUC__
  add_all<2>(weights, numbers, real, imaginary);
#else
  add_all<1>(weights, numbers, real, imaginary);  // where a vector is one number
#endif
}

#ifdef DPBUDGET_HAS_X86_VERSIONS
// Compilers do not clear the upper halves of registers on all ways out, and what comes after takes several times as
// long.
[[gnu::target("avx2")]] void add_avx2(const double* weights, const Waves& numbers, std::span<double> real,
                                      std::span<double> imaginary) {
  add_all<4>(weights, numbers, real, imaginary);
  __builtin_ia32_vzeroupper();
}

[[gnu::target("avx512f")]] void add_avx512(const double* weights, const Waves& numbers, std::span<double> real,
                                           std::span<double> imaginary) {
  add_all<8>(weights, numbers, real, imaginary);
  __builtin_ia32_vzeroupper();
}
#endif

constexpr WeightedVersion versions_of_weighted[] = {
    {"any", add_anywhere},
#ifdef DPBUDGET_HAS_X86_VERSIONS
    {"avx2", add_avx2},
    {"avx512f", add_avx512},
#endif
};

}  // namespace

void add_weighted(std::span<const double> weights, const Waves& numbers, std::span<double> real,
                  std::span<double> imaginary) {
  static const WeightedVersion& version = weighted_versions().back();
  version.add(weights.data(), numbers, real, imaginary);
}

std::span<const WeightedVersion> weighted_versions() { return std::span(versions_of_weighted).first(versions_here()); }

}  // namespace dpbudget::contour
