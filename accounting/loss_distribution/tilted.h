/// @file
/// One exponentially tilted composition in Fourier space, with its errors.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/moments.h"
#include "dpbudget/accounting/numeric/fourier.h"

namespace dpbudget::loss_distribution {

/// Consecutive grid points of a sum, as many as the transform is long.
struct Window {
  std::int64_t first;
  std::size_t length;
};

/// @return how many points of a mesh a width takes
/// @throws Unsupported when they are more than `most`
std::size_t points_of(double width, double mesh, double most);
/// @throws Unsupported when its points are beyond a double's integers
Window window_at(double first, std::size_t length);

/// The masses of a sum of losses, wrapped around a window: at point i they are
///   (value[i] +- error) e^(log_scale - order loss(i)) (1 +- relative_error),
/// and that is the mass there plus what other points, whole windows away, leave there (see `log_wrapped`).
struct TiltedSum {
  double order;
  double log_scale;
  std::vector<double> value;
  double error;
  double relative_error;
};

/// The product of tilted transforms, one part after the other.
class TiltedProduct {
 public:
  TiltedProduct(double order, const Window& window);

  void multiply(const Part& part);

  /// What has been multiplied so far, at least one part.
  TiltedSum sum();

  double order() const { return order_; }
  const Window& window() const { return window_; }

 private:
  struct Frequency {
    std::complex<double> value = 1;
    double log_most = 0;        // of the magnitude, error included
    double relative_error = 0;  // of the value

    bool is_negligible() const;
    void multiply(std::complex<double> factor, double count, double error);
  };

  double order_;
  Window window_;
  numeric::Fourier fourier_;
  std::vector<Frequency> product_;
  double log_scale_ = 0;
  double relative_error_ = 0;
};

/// All parts' product.
TiltedSum product_of(const std::vector<Part>& parts, double order, const Window& window);

/// Where the grid of a sum of the parts begins.
double offset_of(const std::vector<Part>& parts);

/// A sum's grid, window, mass at infinity and slack; its masses are 0.
LossDistribution empty_sum(const std::vector<Part>& parts, const Window& window);

struct Wrapped;

/// Puts a tilted sum's masses into `sum`, on its side of the truth. Where several tilts are put one after the other,
/// each point keeps the best; the first one finds all masses 0.
void put_masses(LossDistribution& sum, const TiltedSum& tilted, const Wrapped& wrapped, bool is_first);

/// Standard deviation of the sum under the tilt.
double tilted_deviation(const std::vector<Part>& parts, double order);

/// Bounds on what wraps onto a point of loss x in a window of width `width`: the sum of e^(log_bound - order x) over
/// the two members.
struct Wrapped {
  /// Chernoff's bound at one order.
  struct Side {
    double order;
    double log_bound;

    /// Logarithm of the bound summed over grid points of the given mesh from `low` to `high`, roughly.
    double log_sum(double low, double high, double mesh) const;
  };
  Side above;
  Side below;

  /// Of a window that holds every sum on that side.
  static constexpr Side nothing{0, -infinity};

  /// The bound at a loss.
  double at(double loss) const;
};

/// @param moments    of the sum, at orders on both sides of `order`
/// @param low, high  between which the bound should be good
Wrapped wrapped(const MomentTable& moments, double order, double width, double low, double high);

}  // namespace dpbudget::loss_distribution
