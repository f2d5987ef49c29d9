#include "dpbudget/accounting/numeric/fourier.h"

#include <bit>
#include <cmath>
#include <unsupported/Eigen/FFT>

namespace dpbudget::numeric {

struct Fourier::Plan {
  Plan() { fft.SetFlag(Eigen::FFT<double>::HalfSpectrum); }
  Eigen::FFT<double> fft;
};

std::size_t Fourier::length_for(std::size_t least) {
  const std::size_t power = std::bit_ceil(std::max<std::size_t>(least, 16));
  if (power / 8 * 5 >= least && power >= 64) return power / 8 * 5;
  if (power / 4 * 3 >= least && power >= 64) return power / 4 * 3;
  return power;
}

Fourier::Fourier(std::size_t length) : length_(length), plan_(std::make_unique<Plan>()) {}
Fourier::~Fourier() = default;
Fourier::Fourier(Fourier&&) noexcept = default;
Fourier& Fourier::operator=(Fourier&&) noexcept = default;

Spectrum Fourier::forward(const std::vector<double>& values) {
  Spectrum spectrum;
  plan_->fft.fwd(spectrum, values);
  return spectrum;
}

std::vector<double> Fourier::inverse(const Spectrum& spectrum) {
  std::vector<double> values;
  plan_->fft.inv(values, spectrum, static_cast<Eigen::Index>(length_));
  return values;
}

double Fourier::error() const { return 0x1p-49 * (2 + std::ceil(std::log2(static_cast<double>(length_)))); }

}  // namespace dpbudget::numeric
