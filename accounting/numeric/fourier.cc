#include "dpbudget/accounting/numeric/fourier.h"

#include <bit>
#include <cmath>
#include <unsupported/Eigen/FFT>

namespace dpbudget::numeric {
namespace {

using Plan = Eigen::FFT<double>;

// Plans hold a table as long as the transform: of those of more points one is kept.
constexpr std::size_t longest_kept = 0x1p16;

Plan half_spectrum() {
  Plan plan;
  plan.SetFlag(Plan::HalfSpectrum);
  return plan;
}

// Plans have room that a transform works in, so that no two threads may share one.
Plan& plan_of(std::size_t length) {
  thread_local Plan short_ones = half_spectrum();
  if (length <= longest_kept) return short_ones;
  thread_local Plan long_one = half_spectrum();
  thread_local std::size_t last = length;
  if (last != length) long_one = half_spectrum();
  last = length;
  return long_one;
}

}  // namespace

std::size_t Fourier::length_for(std::size_t least) {
  const std::size_t power = std::bit_ceil(std::max<std::size_t>(least, 16));
  if (power / 8 * 5 >= least && power >= 64) return power / 8 * 5;
  if (power / 4 * 3 >= least && power >= 64) return power / 4 * 3;
  return power;
}

Spectrum Fourier::forward(const std::vector<double>& values) const {
  Spectrum spectrum;
  plan_of(length_).fwd(spectrum, values);
  return spectrum;
}

std::vector<double> Fourier::inverse(const Spectrum& spectrum) const {
  std::vector<double> values;
  plan_of(length_).inv(values, spectrum, static_cast<Eigen::Index>(length_));
  return values;
}

double Fourier::error() const { return 0x1p-49 * (2 + std::ceil(std::log2(static_cast<double>(length_)))); }

}  // namespace dpbudget::numeric
