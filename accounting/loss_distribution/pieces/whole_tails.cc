#include "dpbudget/accounting/loss_distribution/pieces/whole_tails.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// All of what exceeds e^-gap of itself by `excess` at most.
double whole(double excess, double gap) {
  if (excess == 0) return 0;
  return gap > 0 ? std::min(1.0, excess / -std::expm1(-gap) * (1 + 8 * unit)) : 1;
}

// Of what is cut off on one side, where the other distribution has less.
double other(double mass, double log_ratio) { return std::min(1.0, mass * std::exp(log_ratio) * (1 + 4 * unit)); }

}  // namespace

// P(T) - e^x Q(T) <= p_above for a loss x that the first piece reaches, and Q(T) <= e^-h P(T); the same the other way
// round below.
CutOff whole_tails(const Pieces& pieces) {
  const Piece& first = pieces.pieces.front();
  const Piece& last = pieces.pieces.back();
  const double off = pieces.errors.loss;
  const double p_above = whole(pieces.p_above, last.high - first.high - 2 * off);
  const double q_below = whole(pieces.q_below, last.low - first.low - 2 * off);
  return {(p_above + other(q_below, first.low + off)) * (1 + unit),
          (q_below + other(p_above, off - last.high)) * (1 + unit)};
}

}  // namespace dpbudget::loss_distribution
