#include "dpbudget/accounting/numeric/fourier.h"

#include <bit>
#include <cmath>
#include <unsupported/Eigen/FFT>

namespace dpbudget::numeric {
namespace {

// Plans hold a table as long as the transform: those of more points are not kept.
constexpr std::size_t longest_kept = 0x1p16;

}  // namespace

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

Fourier::Fourier(std::size_t length) : length_(length) {}
Fourier::Fourier(const Fourier& other) : length_(other.length_) {}
Fourier::~Fourier() = default;
Fourier::Fourier(Fourier&&) noexcept = default;
Fourier& Fourier::operator=(Fourier&&) noexcept = default;

// Plans have room that a transform works in, so that no two threads may share one.
Fourier::Plan& Fourier::plan() {
  thread_local Plan kept;
  if (length_ <= longest_kept) return kept;
  if (!plan_) plan_ = std::make_unique<Plan>();
  return *plan_;
}

Spectrum Fourier::forward(const std::vector<double>& values) {
  Spectrum spectrum;
  plan().fft.fwd(spectrum, values);
  return spectrum;
}

std::vector<double> Fourier::inverse(const Spectrum& spectrum) {
  std::vector<double> values;
  plan().fft.inv(values, spectrum, static_cast<Eigen::Index>(length_));
  return values;
}

double Fourier::error() const { return 0x1p-49 * (2 + std::ceil(std::log2(static_cast<double>(length_)))); }

}  // namespace dpbudget::numeric
