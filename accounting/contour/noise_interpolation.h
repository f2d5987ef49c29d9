/// @file
/// Polynomial interpolation over the noise of many releases that differ in nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dpbudget::contour {

/// A Bernstein ellipse around an interval of log variances.
struct NoiseEllipse {
  double ratio;  ///< rho > 1, the sum of the half axes of that around [-1, 1]
  double most;   ///< the largest real part, a log variance
  double angle;  ///< the largest imaginary part, below pi / 2
};

/// The logarithms of variances.
class NoiseRange {
 public:
  /// @param variances  positive
  explicit NoiseRange(std::span<const double> variances);

  NoiseEllipse ellipse(double ratio) const;
  double middle() const { return middle_; }
  double half() const { return half_; }  ///< of the range's length, hardly more, and at least 1e-3

 private:
  NoiseRange(double least, double most);  // of the logarithms

  double middle_;
  double half_;
};

/// Chebyshev's points in the logarithm of the variance, from which a function's values at other variances come.
class NoiseInterpolation {
 public:
  /// @param variances  positive
  /// @param points     at least 2
  NoiseInterpolation(std::span<const double> variances, std::size_t points);

  /// Where the function must be known.
  const std::vector<double>& points() const { return points_; }

  /// @param at     the function's values at the points
  /// @param found  its interpolated values at the variances, in their order
  void operator()(std::span<const double> at, std::span<double> found) const;

  /// What the error is at most, over the largest modulus of the function on that ellipse: that of interpolation by a
  /// polynomial (Trefethen 2013, Theorem 8.2).
  static double remainder(std::size_t points, double ratio);

  /// What errors of the values at the points are multiplied by at most (Trefethen 2013, Theorem 15.2).
  double amplification() const;

 private:
  std::vector<double> points_;
  std::vector<double> matrix_;  // point by point, for each variance
};

}  // namespace dpbudget::contour
