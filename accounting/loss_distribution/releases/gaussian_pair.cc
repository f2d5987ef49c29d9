#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/loss_distribution/pieces/mixed_errors.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

constexpr double underflow = 0x1p-1022;      // of a tail that is below it
constexpr double farthest_with_mass = 36.6;  // beyond, masses are below least_mass

}  // namespace

GaussianPair::GaussianPair(double noise_multiplier) : mean_(0.5 / noise_multiplier) {
  ranges::noise_multiplier(noise_multiplier);
}

double GaussianPair::p_above(double t) const {
  return (numeric::upper_tail(t - mean_) + underflow) * (1 + errors(std::abs(t), 0).mass);
}

double GaussianPair::q_above(double t) const {
  return (numeric::upper_tail(t + mean_) + underflow) * (1 + errors(std::abs(t), 0).mass);
}

double GaussianPair::tail_point(double tail) const { return mean_ + numeric::tail_point(tail / 2); }

PieceErrors GaussianPair::errors(double farthest, double loss) const {
  const double x = std::min(farthest + mean_, farthest_with_mass);
  return {.mass = unit * (32 + x * x / 4 + x * mean_ / 2),
          .barycentre = unit * (64 + 2 * loss + 2 * mean_ * mean_),
          .loss = unit * (1 + loss)};
}

PieceErrors mixed_cell_errors(const GaussianPair& pair, double rate, double start, double end, double farthest) {
  const double reach = std::max(end, std::isinf(start) ? 0 : -start);
  const double loss_of_noise = 2 * pair.mean();
  const double least = rate < 1 ? std::log1p(-rate) : 0;
  const PieceErrors largest = pair.errors(reach, loss_of_noise * reach - least);
  const PieceErrors mixed = mixed_errors(largest, rate, loss_of_noise * end, farthest);
  // Of what the ends are wrong by, a part is in proportion to the mixture's losses.
  return {.mass = largest.mass,
          .barycentre = std::min(largest.barycentre, mixed.barycentre),
          .loss = std::min(largest.loss, mixed.loss + 2 * unit * (farthest - least))};
}

Piece mixed_piece(double rate, double low, double high, const NormalCell& cell) {
  return {low, high, (1 - rate) * cell.q + rate * cell.p, cell.q,
          std::clamp(profile::mixture_loss(rate, cell.log_ratio), low, high)};
}

}  // namespace dpbudget::loss_distribution
