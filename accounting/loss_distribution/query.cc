#include "dpbudget/accounting/loss_distribution/query.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;
namespace {

// Relative error of sums of as many nonnegative terms as there are points.
// accounting/numeric/proofs.md, 1.2
double rounding(const LossDistribution& distribution) {
  return unit * (static_cast<double>(distribution.mass.size()) + 8);
}

double outwards(const LossDistribution& distribution, double value) {
  const double change = rounding(distribution);
  return value * (distribution.side == Side::upper ? 1 + change : 1 - change);
}

// delta at the grid's points, from the last one down: delta there is `tail` and P's mass above is `above`, both less
// the mass at infinity. From one point to the one below, tail' = e^-h tail + (1 - e^-h) (above + the point's own mass).
// accounting/loss_distribution/proofs.md, 5.1
template <class Visit>
void descend(const LossDistribution& distribution, const Visit& visit) {
  const double decay = std::exp(-distribution.grid.mesh);
  const double rise = -std::expm1(-distribution.grid.mesh);
  double tail = 0;
  double above = 0;
  for (std::size_t i = distribution.mass.size(); i-- > 0;) {
    const double mass_from_here = above + distribution.mass[i];
    if (!visit(i, tail, mass_from_here)) return;
    tail = decay * tail + rise * mass_from_here;
    above = mass_from_here;
  }
}

}  // namespace

// accounting/loss_distribution/proofs.md, 5.1
double delta_at(const LossDistribution& distribution, double epsilon) {
  // Of the lowest loss above epsilon: how far above it is, delta there, and what has that loss or more.
  double least_excess = 0;
  double delta_there = 0;
  double mass = 0;
  descend(distribution, [&](std::size_t i, double tail, double from_here) {
    const double excess = distribution.safe_loss(i) - epsilon;
    const double rounded = excess + (distribution.side == Side::upper ? unit : -unit) * (std::abs(epsilon) + excess);
    if (!(rounded > 0)) return false;
    least_excess = rounded;
    delta_there = tail;
    mass = from_here;
    return true;
  });
  const double finite = delta_there * std::exp(-least_excess) + mass * -std::expm1(-least_excess);
  return std::min(1.0, outwards(distribution, distribution.at_infinity + finite));
}

double epsilon_at(const LossDistribution& distribution, double delta) {
  const bool is_upper = distribution.side == Side::upper;
  const double change = rounding(distribution);
  const double top = distribution.safe_loss(distribution.mass.size() - 1);
  if (distribution.at_infinity > delta * (is_upper ? 1 : 1 + change)) return infinity;
  const double finite = delta * (is_upper ? 1 - change : 1 + change) - distribution.at_infinity;
  if (!(finite > 0)) return top;
  double found = is_upper ? distribution.safe_loss(0) : -infinity;
  descend(distribution, [&](std::size_t i, double tail, double from_here) {
    // Below this point, down to the next, delta(e) = from_here - (from_here - tail) e^(e - loss).
    // Where there is no mass above, rounding may put the two in the wrong order: no lower end may rest on that.
    if (!is_upper && !(from_here > tail)) return true;
    const double share = (finite - tail) / (from_here - tail);
    const double least_share = i == 0 && !is_upper ? 1 : -std::expm1(-distribution.grid.mesh);
    if (!(share < least_share)) return true;
    const double loss = distribution.safe_loss(i);
    found = loss + std::log1p(-std::max(0.0, share));
    found += (is_upper ? 1 : -1) * unit * (std::abs(loss) + std::abs(found));
    return false;
  });
  return found;
}

// accounting/tradeoff/proofs.md, 1.3
double trade_off_at(const LossDistribution& distribution, double type_one_error) {
  // Between losses delta is linear in e^e, so the largest value is at one of them, or at e = -infinity.
  const double outside = distribution.side == Side::upper ? -1 : 1;
  // e^loss alone may overflow.
  const double log_error = std::log(type_one_error);
  const double reach = type_one_error > 0 ? std::abs(log_error) : 0;
  double best = 0;
  double total = distribution.at_infinity;
  descend(distribution, [&](std::size_t i, double tail, double from_here) {
    const double delta = outwards(distribution, distribution.at_infinity + tail);
    const double loss = distribution.safe_loss(i);
    const double weighted = std::exp(loss + log_error) * (1 - outside * unit * (4 + std::abs(loss) + reach));
    best = std::max(best, (1 - delta - weighted) + outside * 4 * unit);
    total = distribution.at_infinity + from_here;
    return true;
  });
  if (distribution.side == Side::lower) best = std::max(best, 1 - outwards(distribution, total) + 4 * unit);
  return std::min(best, 1 - type_one_error);
}

}  // namespace dpbudget::loss_distribution
