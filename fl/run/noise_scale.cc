#include "dpbudget/fl/run/noise_scale.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>
#include <limits>

namespace dpbudget::fl {
namespace {

// Holds the product of two doubles, and no quotient of such products leaves its range.
using Exact = boost::multiprecision::cpp_bin_float_quad;

}  // namespace

double sensitivity_divisor(const SettledRun& run, std::uint64_t sample) {
  return run->unit == Unit::record ? static_cast<double>(sample) : run->record_rate;
}

double gaussian_std(double noise_multiplier, double clip_norm, double divisor) {
  // Two roundings in double are what record_noise_multiplier may be too large by.
  const Exact least = Exact(noise_multiplier) * clip_norm * 2 / divisor * (1 + 0x1p-51);
  const auto std = static_cast<double>(least);
  return std < least ? std::nextafter(std, std::numeric_limits<double>::infinity()) : std;
}

double GaussianStds::operator()(double noise_multiplier, double clip_norm, double divisor) {
  constexpr std::size_t most = 4096;  // of norms that adapt none comes again
  const std::tuple key{noise_multiplier, clip_norm, divisor};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (known_.size() == most) known_.clear();
  return known_[key] = gaussian_std(noise_multiplier, clip_norm, divisor);
}

double noise_multiplier_of(double std, double clip_norm, double divisor) {
  const Exact exact = Exact(std) * divisor / (Exact(clip_norm) * 2);
  const auto multiplier = static_cast<double>(exact);
  // The quotient itself is rounded, far beyond a double's digits.
  return Exact(multiplier) * clip_norm * 2 > Exact(std) * divisor ? std::nextafter(multiplier, 0) : multiplier;
}

double record_noise_multiplier(const SettledRun& run, double noise_multiplier, std::uint64_t sample) {
  if (run->unit == Unit::record) return noise_multiplier;
  return noise_multiplier * static_cast<double>(sample) / run->record_rate;
}

double user_noise_multiplier(const SettledRun& run, double noise_multiplier, std::uint64_t sample) {
  return noise_multiplier / sensitivity_divisor(run, sample);
}

}  // namespace dpbudget::fl
