#include "dpbudget/accounting/loss_distribution/releases/sampled.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/mixed_errors.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::Extended;
using numeric::unit;

PieceErrors sampled_errors(const Pieces& pieces, double rate) {
  const double largest = pieces.pieces.back().high;
  const double farthest = std::max(std::abs(profile::mixture_loss(rate, pieces.pieces.front().low)),
                                   std::abs(profile::mixture_loss(rate, largest)));
  PieceErrors errors = mixed_errors(pieces.errors, rate, largest, farthest);
  errors.mass += 2 * unit;
  errors.infinity += 2 * unit;
  return errors;
}

// Fewer pieces need no cutting.
constexpr std::size_t few = 3;

// Leaves out pieces at the top of far tails, as many as may be: where the record is rarely in the sample, nearly all
// that the mixture has there is Q's.
// @param from_low  of a piece: how far its losses are above the lowest, at most
// @param above     as Pieces::p_above
// accounting/loss_distribution/proofs.md, 4.3
template <class FromLow>
void cut_top(std::vector<Piece>& pieces, const PieceErrors& errors, const FromLow& from_low, double tail,
             double& above) {
  while (is_far(tail) && pieces.size() > few) {
    const Piece& top = pieces.back();
    const double share = -std::expm1(-from_low(top) - errors.loss);
    const double beyond = std::max(top.p, least_mass) * share * (1 + errors.mass + 8 * unit);
    if (!(above + beyond <= tail)) return;
    above = (above + beyond) * (1 + unit);
    pieces.pop_back();
  }
}

}  // namespace

// accounting/loss_distribution/proofs.md, 4.1 and 4.3
Pieces poisson_sampled(Pieces pieces, double rate, double tail) {
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
  pieces.p_above *= rate * (1 + 4 * unit);
  const auto from_low = [&, low = pieces.pieces.front().low](const Piece& piece) { return piece.high - low; };
  cut_top(pieces.pieces, pieces.errors, from_low, rate * tail_inside(rate, tail), pieces.p_above);
  pieces.p_at_infinity *= rate;
  pieces.q_at_infinity = 0;
  return pieces;
}

// accounting/loss_distribution/proofs.md, 4.4
Pieces without_replacement(const Pieces& pieces, double rate, double tail) {
  Pieces sampled{.pieces = {},
                 .errors = sampled_errors(pieces, rate),
                 .p_at_infinity = rate * pieces.p_at_infinity,
                 .q_at_infinity = rate * pieces.p_at_infinity,
                 .work = pieces.work};
  std::vector<Piece> positive;
  Extended other = 1;  // mass that neither side of 0 takes
  for (const Piece& piece : pieces.pieces) {
    if (!(piece.barycentre > 0)) continue;
    positive.push_back({profile::mixture_loss(rate, std::max(0.0, piece.low)), profile::mixture_loss(rate, piece.high),
                        (1 - rate) * piece.q + rate * piece.p, piece.q, profile::mixture_loss(rate, piece.barycentre)});
    other -= Extended(positive.back().p) + Extended(positive.back().q);
  }
  other -= Extended(sampled.p_at_infinity);
  // Losses that rounding alone puts above 0 would be mirrored, and there would be more mass than 1. Spread over 0 and
  // the next loss they keep p and q, and what goes to 0 is not mirrored.
  std::size_t least = 0;
  for (; other < -1e-9 && least + 1 < positive.size(); ++least) {
    const Piece& low = positive[least];
    Piece& next = positive[least + 1];
    const double loss = low.barycentre + sampled.errors.barycentre + sampled.errors.loss;
    const double share = std::min(1.0, std::expm1(-loss) / std::expm1(-next.barycentre) * (1 + 4 * unit));
    const double moved = low.p * share;
    next.p += moved;
    next.q += moved * std::exp(-next.barycentre);
    other += Extended(low.p - moved) + Extended(low.q) - Extended(moved * std::exp(-next.barycentre));
  }
  positive.erase(positive.begin(), positive.begin() + static_cast<std::ptrdiff_t>(least));
  // accounting/loss_distribution/proofs.md, 4.4
  const double share = rate + std::min(rate, 1 / std::expm1(pieces.pieces.back().high));
  sampled.p_above = pieces.p_above * share * (1 + 4 * unit);
  const auto from_low = [](const Piece& piece) { return 2 * piece.high; };
  cut_top(positive, sampled.errors, from_low, rate * tail_inside(rate, tail), sampled.p_above);
  sampled.q_below = sampled.p_above;
  for (std::size_t i = positive.size(); i-- > 0;)
    sampled.pieces.push_back(
        {-positive[i].high, -positive[i].low, positive[i].q, positive[i].p, -positive[i].barycentre});
  const double at_zero = std::max(0.0, static_cast<double>(other));
  sampled.pieces.push_back({0, 0, at_zero, at_zero, 0});
  sampled.pieces.insert(sampled.pieces.end(), positive.begin(), positive.end());
  return sampled;
}

}  // namespace dpbudget::loss_distribution
