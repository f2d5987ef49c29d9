/// @file
/// Central moments of the Gaussian's likelihood ratio, for the refinement of sampling without replacement.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace dpbudget::renyi {

/// log B(l), B(l) = E_{z ~ N(0, s^2)}[(e^{z/s^2 - 1/(2 s^2)} - 1)^l] for even l, rounded up.
///
/// Written out, B(l) is an alternating sum of l + 1 terms that loses every digit; as an integral it has a positive
/// integrand, and the trapezoid rule converges geometrically (accounting/renyi/proofs.md, 4.2).
/// @source Wang, Balle, Kasiviswanathan 2019 (arXiv:1808.00087), Appendix C, for its role
class GaussianCentralMoments {
 public:
  /// @param noise_multiplier  s, in (0, inf)
  explicit GaussianCentralMoments(double noise_multiplier) : noise_(noise_multiplier) {}

  /// @param power  l, even and at least 2
  /// @return log B(l), at most 1e-9 too large; infinity where the quadrature would take more than 2^20 nodes
  double operator()(std::uint64_t power) const;

 private:
  double compute(double power) const;
  double noise_;
  mutable std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace dpbudget::renyi
