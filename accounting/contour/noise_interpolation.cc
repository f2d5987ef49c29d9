#include "dpbudget/accounting/contour/noise_interpolation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dpbudget::contour {

NoiseRange::NoiseRange(std::span<const double> variances) {
  const auto [least, most] = std::ranges::minmax(variances);
  middle_ = (std::log(least) + std::log(most)) / 2;
  half_ = (std::log(most) - std::log(least)) / 2 * (1 + 1e-9);
}

NoiseEllipse NoiseRange::ellipse(double ratio) const {
  const double real = (ratio + 1 / ratio) / 2;
  const double imaginary = (ratio - 1 / ratio) / 2;
  return {ratio, middle_ + half_ * real, half_ * imaginary, half_ * (real - 1)};
}

NoiseInterpolation::NoiseInterpolation(std::span<const double> variances, std::size_t points) {
  const NoiseRange range(variances);
  const std::size_t last = points - 1;
  std::vector<double> cosines;
  for (std::size_t j = 0; j < points; ++j) {
    cosines.push_back(std::cos(static_cast<double>(j) * std::numbers::pi / static_cast<double>(last)));
    points_.push_back(std::exp(range.middle() + range.half() * cosines.back()));
  }
  matrix_.resize(points * variances.size());
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const double x = (std::log(variances[i]) - range.middle()) / range.half();
    const auto hit = std::ranges::find(cosines, x);
    double sum = 0;
    for (std::size_t j = 0; j < points; ++j) {
      const double barycentric = (j % 2 == 0 ? 1 : -1) * (j == 0 || j == last ? 0.5 : 1.0);
      double& entry = matrix_[j * variances.size() + i];
      if (hit == cosines.end())
        entry = barycentric / (x - cosines[j]);
      else
        entry = *hit == cosines[j] ? 1 : 0;
      sum += entry;
    }
    for (std::size_t j = 0; j < points; ++j) matrix_[j * variances.size() + i] /= sum;
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
