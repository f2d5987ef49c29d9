#include "dpbudget/accounting/contour/noise_interpolation.h"

#include <algorithm>
#include <boost/math/special_functions/cos_pi.hpp>
#include <cmath>
#include <numbers>

#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::contour {
namespace {

using numeric::Extended;

// Intervals are no shorter, so that rounding leaves digits of the place in them.
constexpr double least_half = 1e-3;
// Nearer to a point, a variance is taken for it (accounting/contour/proofs.md, 8.6).
constexpr double no_distance = 1e-15;

// Boost's, since numeric/extended.h has no cosine.
Extended chebyshev(std::size_t j, std::size_t last) {
  return boost::math::cos_pi(Extended(static_cast<double>(j)) / Extended(static_cast<double>(last)));
}

}  // namespace

NoiseRange::NoiseRange(std::span<const double> variances)
    : NoiseRange(std::log(std::ranges::min(variances)), std::log(std::ranges::max(variances))) {}

NoiseRange::NoiseRange(double least, double most)
    : middle_((least + most) / 2), half_(std::max(least_half, (most - least) / 2 * (1 + 1e-9))) {}

NoiseEllipse NoiseRange::ellipse(double ratio) const {
  const double real = (ratio + 1 / ratio) / 2;
  const double imaginary = (ratio - 1 / ratio) / 2;
  return {ratio, middle_ + half_ * real, half_ * imaginary};
}

NoiseInterpolation::NoiseInterpolation(std::span<const double> variances, std::size_t points) {
  const NoiseRange range(variances);
  const std::size_t last = points - 1;
  std::vector<Extended> cosines;
  for (std::size_t j = 0; j < points; ++j) {
    cosines.push_back(chebyshev(j, last));
    points_.push_back(std::exp(range.middle() + range.half() * static_cast<double>(cosines.back())));
  }
  matrix_.resize(points * variances.size());
  std::vector<Extended> column(points);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const Extended x = (std::log(variances[i]) - range.middle()) / range.half();
    const auto is_hit = [&](const Extended& cosine) { return numeric::extended::abs(x - cosine) < no_distance; };
    const auto hit = std::ranges::find_if(cosines, is_hit);
    Extended sum = 0;
    for (std::size_t j = 0; j < points; ++j) {
      const double barycentric = (j % 2 == 0 ? 1 : -1) * (j == 0 || j == last ? 0.5 : 1.0);
      const double unit_vector = hit != cosines.end() && *hit == cosines[j] ? 1 : 0;
      column[j] = hit == cosines.end() ? barycentric / (x - cosines[j]) : Extended(unit_vector);
      sum += column[j];
    }
    for (std::size_t j = 0; j < points; ++j) matrix_[j * variances.size() + i] = static_cast<double>(column[j] / sum);
  }
}

void NoiseInterpolation::operator()(std::span<const double> at, std::span<double> found) const {
  std::ranges::fill(found, 0.0);
  for (std::size_t j = 0; j < points_.size(); ++j) {
    const double* row = &matrix_[j * found.size()];
    const double value = at[j];
    for (std::size_t i = 0; i < found.size(); ++i) found[i] += row[i] * value;
  }
}

double NoiseInterpolation::remainder(std::size_t points, double ratio) {
  return 4 * std::pow(ratio, 1 - static_cast<double>(points)) / (ratio - 1);
}

double NoiseInterpolation::amplification() const {
  return 2 / std::numbers::pi * std::log(static_cast<double>(points_.size())) + 1;
}

}  // namespace dpbudget::contour
