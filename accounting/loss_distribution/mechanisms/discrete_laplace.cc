#include "dpbudget/accounting/loss_distribution/mechanisms/discrete_laplace.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/loss_distribution/mechanisms/randomized_response.h"
#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/renyi/rounding.h"
#include "dpbudget/accounting/require.h"

namespace dpbudget::loss_distribution {

Pieces discrete_laplace_pieces(double scale) {
  ranges::scale(scale);
  const double epsilon = 1 / scale;
  require(std::isfinite(epsilon), "scale", scale, "large enough for a finite loss of 1/scale");
  Pieces result = randomized_response_pieces(epsilon, 2);
  const double rounding = renyi::unit * epsilon;
  result.errors = {
      .mass = result.errors.mass + std::min(rounding, 700 * renyi::unit), .barycentre = rounding, .loss = rounding};
  return result;
}

}  // namespace dpbudget::loss_distribution
