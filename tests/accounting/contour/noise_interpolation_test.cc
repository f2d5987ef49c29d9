#include "dpbudget/accounting/contour/noise_interpolation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dpbudget::contour {
namespace {

std::vector<double> spread_variances(double least, double most, int number) {
  std::vector<double> found;
  for (int i = 0; i < number; ++i) found.push_back(least * std::pow(most / least, i / (number - 1.0)));
  return found;
}

template <class Function>
double largest_error(const std::vector<double>& variances, std::size_t points, Function&& f) {
  const NoiseInterpolation interpolation(variances, points);
  std::vector<double> at;
  for (const double v : interpolation.points()) at.push_back(f(v));
  std::vector<double> found(variances.size());
  interpolation(at, found);
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) largest = std::max(largest, std::abs(found[i] - f(variances[i])));
  return largest;
}

TEST(NoiseInterpolation, IsExactForPolynomialsOfTheLogarithm) {
  const auto variances = spread_variances(0.2, 1, 50);
  const auto cubic = [](double v) { return 1 + std::log(v) * (2 - std::log(v) * (3 + std::log(v))); };
  EXPECT_LT(largest_error(variances, 4, cubic), 1e-13);
  EXPECT_GT(largest_error(variances, 3, cubic), 1e-2);
  EXPECT_LT(largest_error(variances, 64, cubic), 1e-13);
}

// e^v, of which the modulus on an ellipse of log v is at most e^{e^most}.
// accounting/contour/proofs.md, 8.6
TEST(NoiseInterpolation, ErrsByLessThanItsRemainder) {
  const auto variances = spread_variances(0.5, 2, 101);
  const NoiseRange range(variances);
  for (const std::size_t points : {2U, 3U, 5U, 8U, 12U}) {
    const double error = largest_error(variances, points, [](double v) { return std::exp(v); });
    double bound = 1e300;
    for (const double ratio : {1.5, 2.0, 3.0, 4.0, 6.0})
      bound =
          std::min(bound, NoiseInterpolation::remainder(points, ratio) * std::exp(std::exp(range.ellipse(ratio).most)));
    EXPECT_LE(error, bound + 1e-14) << points;
    EXPECT_GE(error + 1e-14, 1e-5 * bound) << points;
  }
}

TEST(NoiseInterpolation, TakesVariancesThatAreEqual) {
  EXPECT_LT(largest_error({0.7, 0.7, 0.7}, 5, [](double v) { return v; }), 1e-15);
}

}  // namespace
}  // namespace dpbudget::contour
