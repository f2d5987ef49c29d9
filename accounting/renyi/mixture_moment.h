/// @file
/// Moments of the likelihood ratio of a Gaussian mixture, by quadrature.
///
/// At the point s u, u ~ N(0, 1), the likelihood ratio of (1-q) N(0, s^2) + q N(1, s^2) against N(0, s^2) is 1 + x(u)
/// with x(u) = q (exp(u/s - 1/(2 s^2)) - 1), and E[x] = 0. So E[(1+x)^p] - 1 is the mean of the excess of the power
/// over its tangent, which is nowhere negative: it keeps its relative accuracy when the moment is 1 + 1e-18.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dpbudget/accounting/renyi/moment.h"

namespace dpbudget::renyi {

/// The mixture (1-q) N(0, s^2) + q N(1, s^2) against N(0, s^2).
struct GaussianMixture {
  double sampling_rate;     ///< q in (0, 1)
  double noise_multiplier;  ///< s in (0, inf)

  /// Beyond this many standard deviations the normal density adds less than e^-46 of any of the moments.
  double reach() const;
};

/// A point of a quadrature rule with what every power shares.
struct MixtureNode {
  double u;
  double weight;      ///< of the rule, the normal density included
  double log_weight;  ///< its logarithm, where the weight itself underflows
  double x;           ///< likelihood ratio less 1; infinite where a double cannot hold it
  double log_ratio;   ///< log(1 + x)
  double slack;       ///< bound on the relative error of x, in units
};

/// @param rule_weight  weight of the point `u` for an integral over u
MixtureNode mixture_node(const GaussianMixture& mixture, double u, double rule_weight);

/// log of the sum of weight ((1+x)^power - 1 - power x), with its rounding error.
/// @param nodes  at least one, in the order of u
/// @param power  outside [0, 1]
LogExcess sum_of_excess(std::span<const MixtureNode> nodes, double power);

/// E[(1 + x)^power] - 1, by the trapezoid rule on the whole line.
class MixtureMoment {
 public:
  explicit MixtureMoment(GaussianMixture mixture);

  /// @param power  outside [0, 1]
  /// @return the moment with the error of quadrature and rounding; nothing when it would take more than 2^20 nodes
  std::optional<LogExcess> operator()(double power) const;

 private:
  GaussianMixture mixture_;
  double step_;                             // for powers above 1
  mutable std::vector<MixtureNode> nodes_;  // from -reach on, for powers above 1; grown when an order needs more
};

/// Bound on the Rényi divergence from the mixture to N(0, s^2) by Minkowski's inequality in L^order:
/// |1-q + q r| <= 1-q + q |r|, where r is the Gaussian's likelihood ratio and |r| = e^{(order-1)/(2 s^2)}.
/// @param order  above 1
Divergence minkowski(const GaussianMixture& mixture, double order);

/// Whether that bound is exact to 20 digits: the mixture's components are then so far apart that the quadrature has
/// nothing to add (accounting/renyi/proofs.md, 2.4).
bool components_apart(const GaussianMixture& mixture, double order);

}  // namespace dpbudget::renyi
