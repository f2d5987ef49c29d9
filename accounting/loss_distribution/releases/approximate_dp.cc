#include "dpbudget/accounting/loss_distribution/releases/approximate_dp.h"

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

Pieces approximate_dp_pieces(double epsilon, double delta) {
  ranges::release_delta(delta);
  Pieces result = randomized_response_pieces(epsilon, 2);
  for (Piece& piece : result.pieces) {
    piece.p *= 1 - delta;
    piece.q *= 1 - delta;
  }
  result.errors.mass += 2 * numeric::unit;
  result.p_at_infinity = result.q_at_infinity = delta;
  return result;
}

}  // namespace dpbudget::loss_distribution
