#include "dpbudget/accounting/loss_distribution/transform.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;

namespace {

constexpr std::int64_t most_points_of_sample = 1 << 24;

}  // namespace

LossDistribution participating(const LossDistribution& inner, double rate) {
  LossDistribution round = inner;
  const bool is_upper = inner.side == Side::upper;
  const double factor = is_upper ? 1 + 4 * unit : 1 - 4 * unit;
  const std::int64_t last = inner.first + static_cast<std::int64_t>(inner.mass.size()) - 1;
  round.first = std::min<std::int64_t>(inner.first, 0);
  const std::int64_t points = std::max<std::int64_t>(last, 0) - round.first + 1;
  if (points > most_points_of_sample)
    throw Unsupported("a mesh this fine does not reach from 0 to the losses with 2^24 points");
  round.mass.assign(static_cast<std::size_t>(points), 0.0);
  const auto shift = static_cast<std::size_t>(inner.first - round.first);
  for (std::size_t i = 0; i < inner.mass.size(); ++i) round.mass[shift + i] = rate * inner.mass[i] * factor;
  round.mass[static_cast<std::size_t>(-round.first)] += (1 - rate) * factor;
  round.at_infinity = rate * inner.at_infinity * factor;
  return round;
}

Pieces atoms_of(const LossDistribution& distribution) {
  const bool is_upper = distribution.side == Side::upper;
  Pieces atoms;
  atoms.p_at_infinity = distribution.at_infinity;
  // Q's mass is 1. Where rounding to the side has made it more, the lowest losses give way: those of the upper side
  // rise, those of the lower side are dropped.
  double q_left = 1;
  double farthest = 0;
  for (std::size_t i = distribution.mass.size(); i-- > 0;) {
    const double p = distribution.mass[i];
    if (p == 0) continue;
    double loss = distribution.safe_loss(i);
    double q = p * std::exp(-loss);
    double kept = p;
    if (!(q <= q_left)) {
      if (is_upper && q_left > 0) {
        loss = std::max(loss, std::log(p / q_left));
        q = q_left;
      } else if (is_upper) {
        atoms.p_at_infinity += p;
        continue;
      } else {
        kept = p * (q_left / q) * (1 - 4 * unit);
        q = q_left;
      }
    }
    q_left -= q;
    farthest = std::max(farthest, std::abs(loss));
    if (kept > 0) atoms.pieces.push_back({loss, loss, kept, q, loss});
  }
  if (atoms.pieces.empty()) atoms.pieces.push_back({0, 0, 0, 0, 0});
  std::ranges::sort(atoms.pieces, {}, &Piece::low);
  atoms.errors = {.mass = 4 * unit * (1 + farthest), .barycentre = unit * farthest, .loss = unit * farthest};
  atoms.q_at_infinity = std::max(0.0, q_left);
  return atoms;
}

}  // namespace dpbudget::loss_distribution
