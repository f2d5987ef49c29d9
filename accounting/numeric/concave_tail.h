/// @file
/// Sums over a tail of a binomial distribution under concave weights, between two proven bounds.
#pragma once

#include <functional>

#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::numeric {

/// What the outcomes from `first` on count.
struct ConcaveWeight {
  /// Bounds on the weight of an outcome. The weights themselves are concave and do not fall from `first` on; those of
  /// smaller outcomes, if there are any, are at most 0.
  std::function<Bracket(double outcome)> at;
  double bend =
      0;  ///< the weight has settled e^(-bend (outcome - first)) away from a constant, about; 0: a straight line
};

/// log of the sum of P(i) max(0, weight(i)) over i = first, ..., count, whatever the log odds within `log_odds_error`
/// of the distribution's. In blocks: P is below its tangent and above its chord, and so are the weights
/// (accounting/numeric/proofs.md, 4.1).
/// @param first  an integer in [0, count]
/// @return ends whose exponentials are apart by a few 1e-7 of the sum, 2e-6 at 20 deviations above the mean, where the
///         deviation is above 2000 or the weights bend over more than 2000 outcomes, and by rounding elsewhere;
///         -infinity where the sum may be 0
Bracket log_concave_tail(const Binomial& binomial, double first, const ConcaveWeight& weight,
                         double log_odds_error = 0);

}  // namespace dpbudget::numeric
