#include "dpbudget/accounting/loss_distribution/releases/discrete_laplace.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

Pieces discrete_laplace_pieces(double scale) {
  ranges::scale(scale);
  const double epsilon = 1 / scale;
  require(std::isfinite(epsilon), "scale", scale, "large enough for a finite loss of 1/scale");
  Pieces result = randomized_response_pieces(epsilon, 2);
  const double rounding = numeric::unit * epsilon;
  result.errors = {
      .mass = result.errors.mass + std::min(rounding, 700 * numeric::unit), .barycentre = rounding, .loss = rounding};
  return result;
}

}  // namespace dpbudget::loss_distribution
