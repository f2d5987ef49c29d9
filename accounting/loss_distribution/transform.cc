#include "dpbudget/accounting/loss_distribution/transform.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/profile/mixture.h"
#include "dpbudget/accounting/require.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr double unit = 0x1p-49;
constexpr std::int64_t most_points = 1 << 24;

PieceErrors sampled_errors(const Pieces& pieces, double rate) {
  PieceErrors errors = pieces.errors;
  errors.mass += 2 * unit;
  errors.infinity += 2 * unit;
  double rounding = 0;
  for (const double loss : {pieces.pieces.front().low, pieces.pieces.back().high})
    rounding = std::max(rounding, unit * (1 + std::abs(profile::mixture_loss(rate, loss))));
  errors.barycentre += rounding;
  errors.loss += rounding;
  return errors;
}

}  // namespace

Pieces poisson_sampled(Pieces pieces, double rate) {
  if (rate == 1 || pieces.pieces.empty()) return pieces;
  pieces.errors = sampled_errors(pieces, rate);
  for (Piece& piece : pieces.pieces) {
    piece = {profile::mixture_loss(rate, piece.low), profile::mixture_loss(rate, piece.high),
             (1 - rate) * piece.q + rate * piece.p, piece.q, profile::mixture_loss(rate, piece.barycentre)};
  }
  if (pieces.q_at_infinity > 0) {
    const double loss = std::log1p(-rate);
    pieces.pieces.insert(pieces.pieces.begin(),
                         {loss, loss, (1 - rate) * pieces.q_at_infinity, pieces.q_at_infinity, loss});
  }
  pieces.p_above = std::min(1.0, pieces.p_above * (1 + 4 * unit));
  pieces.p_at_infinity *= rate;
  pieces.q_at_infinity = 0;
  return pieces;
}

Pieces without_replacement(const Pieces& pieces, double rate) {
  Pieces sampled{.pieces = {},
                 .errors = sampled_errors(pieces, rate),
                 .p_above = pieces.p_above,
                 .q_below = pieces.p_above,
                 .p_at_infinity = rate * pieces.p_at_infinity,
                 .q_at_infinity = rate * pieces.p_at_infinity};
  std::vector<Piece> positive;
  long double other = 1;  // mass that neither side of 0 takes
  for (const Piece& piece : pieces.pieces) {
    if (!(piece.barycentre > 0)) continue;
    positive.push_back({profile::mixture_loss(rate, std::max(0.0, piece.low)), profile::mixture_loss(rate, piece.high),
                        (1 - rate) * piece.q + rate * piece.p, piece.q, profile::mixture_loss(rate, piece.barycentre)});
    other -= static_cast<long double>(positive.back().p) + static_cast<long double>(positive.back().q);
  }
  other -= static_cast<long double>(sampled.p_at_infinity);
  // Losses that rounding alone puts above 0 would be mirrored, and there would be more mass than 1. Spread over 0 and
  // the next loss they keep p and q, and what goes to 0 is not mirrored.
  std::size_t least = 0;
  for (; other < -1e-9L && least + 1 < positive.size(); ++least) {
    const Piece& low = positive[least];
    Piece& next = positive[least + 1];
    const double loss = low.barycentre + sampled.errors.barycentre + sampled.errors.loss;
    const double share = std::min(1.0, std::expm1(-loss) / std::expm1(-next.barycentre) * (1 + 4 * unit));
    const double moved = low.p * share;
    next.p += moved;
    next.q += moved * std::exp(-next.barycentre);
    other += static_cast<long double>(low.p - moved) + static_cast<long double>(low.q) -
             static_cast<long double>(moved * std::exp(-next.barycentre));
  }
  positive.erase(positive.begin(), positive.begin() + static_cast<std::ptrdiff_t>(least));
  for (std::size_t i = positive.size(); i-- > 0;)
    sampled.pieces.push_back(
        {-positive[i].high, -positive[i].low, positive[i].q, positive[i].p, -positive[i].barycentre});
  const double at_zero = std::max(0.0, static_cast<double>(other));
  sampled.pieces.push_back({0, 0, at_zero, at_zero, 0});
  sampled.pieces.insert(sampled.pieces.end(), positive.begin(), positive.end());
  return sampled;
}

LossDistribution participating(const LossDistribution& inner, double rate) {
  LossDistribution round = inner;
  const bool is_upper = inner.side == Side::upper;
  const double factor = is_upper ? 1 + 4 * unit : 1 - 4 * unit;
  const std::int64_t last = inner.first + static_cast<std::int64_t>(inner.mass.size()) - 1;
  round.first = std::min<std::int64_t>(inner.first, 0);
  const std::int64_t points = std::max<std::int64_t>(last, 0) - round.first + 1;
  if (points > most_points) throw Unsupported("a mesh this fine does not reach from 0 to the losses with 2^24 points");
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
