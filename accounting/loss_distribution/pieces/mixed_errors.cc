#include "dpbudget/accounting/loss_distribution/pieces/mixed_errors.h"

#include <algorithm>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {

// accounting/loss_distribution/proofs.md, 4.2
PieceErrors mixed_errors(PieceErrors errors, double rate, double largest, double farthest) {
  const double slope = profile::mixture_slope(rate, largest + errors.loss + errors.barycentre);
  const double rounding = numeric::unit * std::min(1 + farthest, 2 * farthest) + 0x1p-1022;
  errors.loss = slope * errors.loss + rounding;
  errors.barycentre = slope * errors.barycentre + rounding;
  return errors;
}

}  // namespace dpbudget::loss_distribution
