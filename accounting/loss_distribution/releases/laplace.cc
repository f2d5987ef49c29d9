#include "dpbudget/accounting/loss_distribution/releases/laplace.h"

#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

Pieces laplace_pieces(double scale, const Cut& cut) {
  ranges::scale(scale);
  check(cut);
  const double most = 1 / scale;
  require(std::isfinite(most), "scale", scale, "large enough for a finite loss of 1/scale");
  const auto [first, last] = multiples_around(-most, most, cut.step);

  Pieces result;
  result.pieces.reserve(static_cast<std::size_t>(last - first + 2));
  result.pieces.push_back({-most, -most, std::exp(-most) / 2, 0.5, -most});
  double low = -most;
  for (std::int64_t j = first + 1; j <= last; ++j) {
    // The densities of the loss x are e^{(x - most)/2} / 4 and e^{-(x + most)/2} / 4.
    const double high = std::min(static_cast<double>(j) * cut.step, most);
    const double share = -std::expm1((low - high) / 2) / 2;
    if (low < high)
      result.pieces.push_back({low, high, std::exp((high - most) / 2) * share, std::exp(-(low + most) / 2) * share,
                               low + (high - low) / 2});
    low = high;
  }
  result.pieces.push_back({most, most, 0.5, std::exp(-most) / 2, most});
  const double rounding = numeric::unit * most;
  result.errors = {.mass = 4 * numeric::unit + rounding, .barycentre = rounding, .loss = rounding};
  return result;
}

}  // namespace dpbudget::loss_distribution
