/// @file
/// The law of a sum of independent likelihood ratios dP/dQ under Q, in convex order on either side of the truth.
///
/// A pair (P, Q) needs delta(e) = E_Q (W - e^e)_+ + P(W = infinity), and the opposite pair E_Q (1 - e^e W)_+, with
/// W = dP/dQ: both are expectations of nonnegative convex functions of W, infinity counting by its share of P.
/// Spreading outcomes, Q-mass and P-mass kept, raises them all; merging outcomes lowers them; and sums of independent
/// variables keep the order (accounting/loss_distribution/proofs.md, 4c.2 and 4c.4).
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pair.h"

namespace dpbudget::loss_distribution {

/// Outcomes with their ratios in [low, high].
struct RatioCell {
  double low;   ///< positive
  double high;  ///< at least `low`
  double q;     ///< their mass under Q
  double mean;  ///< of the ratio under Q, in [low, high]
};

/// What a law may be wrong by.
struct RatioErrors {
  double mass = 0;   ///< relative error of every mass
  double ratio = 0;  ///< relative error of every ratio
};

/// A law as cells, before it is put on few ratios.
struct RatioCells {
  std::vector<RatioCell> cells;  ///< in increasing order, not overlapping
  double q_at_zero = 0;
  double p_at_infinity = 0;  ///< in units of the ratio: of a sum of n ratios P's mass is a share 1/n
  double count = 1;          ///< ratios in the sum
  RatioErrors errors;
  double products = 0;  ///< of two masses that were formed on the way here
};

/// A law on finitely many ratios.
struct RatioLaw {
  std::vector<double> ratio;  ///< increasing, positive
  std::vector<double> mass;   ///< under Q
  double q_at_zero = 0;
  double p_at_infinity = 0;
  double count = 1;
  RatioErrors errors;
  double products = 0;  ///< as of RatioCells
};

/// How few ratios a law is put on.
struct RatioMesh {
  double width;  ///< of a cell, relative to the deviation of the law where that is normal; in (0, 1)
  double tail;   ///< of Q at zero and of P at infinity, what putting it on a mesh may add; relative to a count of 1
  double floor;  ///< divergences below it need not be resolved, either way; relative to a count of 1
};

/// Puts a law on ratios, each convex expectation raised (upper) or lowered by about a share width^2 / 8 of itself, or
/// of the floor.
RatioLaw on_mesh(const RatioCells& law, const RatioMesh& mesh, Side side);

/// The law of the sum of two independent ratios, in cells far narrower than `mesh` will make them.
/// @throws Unsupported where it takes more than 2^22 cells
RatioCells sum(const RatioLaw& a, const RatioLaw& b, const RatioMesh& mesh, Side side);

/// Total variation of a normal law of deviation 1, roughly.
inline constexpr double variation_of_normal_law = 0.4;

/// E (W / n - 1)_+ for a law of the sum of n ratios: the total variation of the pair, roughly.
double total_variation(const RatioCells& law);

}  // namespace dpbudget::loss_distribution
