#include "dpbudget/accounting/numeric/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

// Its own threads, plans and vectors are for what its public functions do. (With vectors it asks for aligned memory of
// sizes that the C library does not allow.)
#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_NO_VECTORS
#define POCKETFFT_CACHE_SIZE 0
#include <pocketfft_hdronly.h>

namespace dpbudget::numeric {
namespace {

// What the library's public functions call after they have copied into a buffer of their own, which takes as long as
// the transform itself.
using Plan = pocketfft::detail::pocketfft_r<double>;

// A plan holds a table as long as the transform: of those of more points one is kept. Any thread could use it.
constexpr std::size_t longest_kept = 0x1p16;

const Plan& plan_of(std::size_t length) {
  thread_local std::map<std::size_t, Plan> short_ones;
  if (length <= longest_kept) return short_ones.try_emplace(length, length).first->second;
  thread_local std::optional<Plan> long_one;
  if (!long_one || long_one->length() != length) long_one.emplace(length);
  return *long_one;
}

}  // namespace

std::size_t Fourier::length_for(std::size_t least) {
  const std::size_t power = std::bit_ceil(std::max<std::size_t>(least, 16));
  if (power / 8 * 5 >= least && power >= 64) return power / 8 * 5;
  if (power / 4 * 3 >= least && power >= 64) return power / 4 * 3;
  return power;
}

// The library's order is that of the real numbers in a spectrum, without the imaginary parts that are 0: of the first
// frequency and of the last.
Spectrum Fourier::forward(const std::vector<double>& values) const {
  Spectrum spectrum(length_ / 2 + 1);
  auto* const reals = reinterpret_cast<double*>(spectrum.data());
  std::ranges::copy(values, reals + 1);
  plan_of(length_).exec(reals + 1, 1.0, pocketfft::FORWARD);
  std::swap(reals[0], reals[1]);
  return spectrum;
}

std::vector<double> Fourier::inverse(const Spectrum& spectrum) const {
  const auto* const reals = reinterpret_cast<const double*>(spectrum.data());
  std::vector<double> values(reals + 1, reals + 1 + length_);
  values.front() = reals[0];
  plan_of(length_).exec(values.data(), 1 / static_cast<double>(length_), pocketfft::BACKWARD);
  return values;
}

double Fourier::error() const { return 0x1p-49 * (2 + std::ceil(std::log2(static_cast<double>(length_)))); }

}  // namespace dpbudget::numeric
