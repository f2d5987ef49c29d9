/// @file
/// What one round on a batch of fixed size tells, where the released sum's contributions lie in a ball.
///
/// By accounting/loss_distribution/proofs.md, 4k.1, a round is bounded by pairs P = (1-q) N(y) + q N(x) against
/// Q = (1-q) N(y) + q N(x'), of three points each.
#pragma once

namespace dpbudget::loss_distribution {

/// The points x = (side/2, 0), x' = (-side/2, 0) and y = (foot, height), in deviations of the noise; |foot| at most
/// side/2, height at least 0.
struct BatchTriangle {
  double side;
  double foot;
  double height;

  /// With x and x' exchanged.
  BatchTriangle mirrored() const { return {side, -foot, height}; }
};

/// An upper bound on the supremum over sets A of N(x)(A) - ratio N(x')(A) - others N(y)(A), which is the hockey-stick
/// of the triangle's pair at `ratio`, divided by q, where others is (1-q) (ratio-1) / q.
/// @param ratio   at least 1
/// @param others  at least 0
/// @source accounting/loss_distribution/proofs.md, 4k.4 and 4k.5
double batch_hockey_stick(const BatchTriangle& triangle, double ratio, double others);

/// The chi-squared divergence of the triangle's pair divided by q^2, for q to 0.
double batch_chi_squared(const BatchTriangle& triangle);

}  // namespace dpbudget::loss_distribution
