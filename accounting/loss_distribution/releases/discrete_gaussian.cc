#include "dpbudget/accounting/loss_distribution/releases/discrete_gaussian.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/discrete_gaussian.h"

namespace dpbudget::loss_distribution {

Pieces discrete_gaussian_pieces(double sigma, const Cut& cut) {
  check(cut);
  const double normaliser = profile::discrete_gaussian_normaliser(sigma);
  // The noise is at least k with probability e^{-k^2 / (2 sigma^2)} at most: (k + j)^2 >= k^2 + j^2.
  const double reach = std::ceil(sigma * std::sqrt(std::max(0.0, -2 * std::log(cut.tail))));
  require(reach <= 0x1p23 - 1, "sigma", sigma, "small enough for 2^24 atoms to hold all but the tail");
  const auto loss = [&](double z) { return (z - 0.5) / sigma / sigma; };
  require(std::isfinite(loss(reach + 1)), "sigma", sigma, "large enough for finite losses");
  const auto noise = [&](double z) { return std::exp(-(z / sigma) * (z / sigma) / 2) / normaliser; };

  Pieces result;
  const auto last = to_integer<std::int64_t>(reach, "reach") + 1;
  result.pieces.reserve(static_cast<std::size_t>(2 * last));
  for (std::int64_t k = 1 - last; k <= last; ++k) {
    const auto z = static_cast<double>(k);
    result.pieces.push_back({loss(z), loss(z), noise(z - 1), noise(z), loss(z)});
  }

  const double x = std::min((reach + 1) / sigma, 36.6);  // beyond, masses are below least_mass
  const double rounding = numeric::unit * loss(reach + 1);
  result.errors = {.mass = numeric::unit * (8 + x * x / 4), .barycentre = rounding, .loss = rounding};
  // Each further mass is less than the one before it by the factor e^{-(2 reach + 3) / (2 sigma^2)} at least.
  const double beyond = noise(reach + 1) / -std::expm1(-loss(reach + 2)) * (1 + 2 * result.errors.mass);
  result.p_above = result.q_below = beyond;
  return result;
}

}  // namespace dpbudget::loss_distribution
