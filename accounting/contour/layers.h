/// @file
/// How fast the characteristic function of a density decays, proven from a few of its values.
///
/// A step function below a density is a mixture of uniform densities, one per layer. A uniform density on an interval
/// of length w has |phi(s)| = |sin(s w / 2)| / (s w / 2), and what lies between step function and density has at most
/// 1. So |phi(s)| <= 1 - sum of mass (1 - |sinc(s w / 2)|): close to the truth for small s, far below 1 for large.
#pragma once

#include <vector>

namespace dpbudget::contour {

/// A step function below a density, read as a mixture of uniform laws, one per layer.
class Layers {
 public:
  /// Appends a step of the step function, to the right of all others; both numbers right up to a relative 1e-7.
  void add_step(double width, double height);
  /// Ends the step function.
  void close() { lower_to(0); }

  /// @return an upper bound on log |phi(t)| for all t >= s; s > 0
  double log_bound(double s) const;

 private:
  struct Layer {
    double mass;
    double width;
  };
  struct Open {
    double height;
    double begin;
  };
  void lower_to(double height);

  std::vector<Layer> layers_;
  std::vector<Open> open_;  // in increasing order of height and begin
  double end_ = 0;
};

}  // namespace dpbudget::contour
