#include "dpbudget/accounting/loss_distribution/releases/replaced_poisson_gaussian.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"
#include "dpbudget/accounting/loss_distribution/releases/normal_cell.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// With the noise variable t of variance 1, P = (1-q) N(0, 1) + q N(m, 1) and Q is P mirrored.
class MirroredMixtures {
 public:
  MirroredMixtures(double rate, double mean)
      : rate_(rate), mean_(mean), log_odds_(std::log1p(-rate) - std::log(rate) + mean * mean / 2) {}

  // Odd, and increasing in t.
  double loss(double t) const { return loss_of_ratios(log_ratio(t), log_ratio(-t)); }

  // Its inverse, for losses >= 0: m t = L/2 + asinh((1-q) / (q e^(-m^2/2)) sinh(L/2)).
  double noise_of(double loss) const {
    if (loss == 0) return 0;
    const double half = loss / 2;
    const double odds = (1 - rate_) / rate_ * std::exp(mean_ * mean_ / 2) * std::sinh(half);
    if (odds < 0x1p30) return (half + std::asinh(odds)) / mean_;
    const double log_double_sinh = half < 1 ? std::log(2 * std::sinh(half)) : half + std::log1p(-std::exp(-loss));
    return (half + log_odds_ + log_double_sinh) / mean_;
  }

  Piece piece(double low, double high, double from, double to) const {
    const NormalCell with = normal_cell(from, to, mean_, 0);
    const NormalCell replaced = normal_cell(from, to, -mean_, 0);
    return {low, high, (1 - rate_) * with.q + rate_ * with.p, (1 - rate_) * with.q + rate_ * replaced.p,
            std::clamp(loss_of_ratios(with.log_ratio, replaced.log_ratio), low, high)};
  }

  // Of pieces within [-end, end].
  PieceErrors errors(const GaussianPair& pair, double end) const {
    const double reach = mean_ * end;
    const PieceErrors of_ratios = pair.errors(end, 2 * reach);
    const double slope = profile::mixture_slope(rate_, log_ratio(end) + of_ratios.barycentre);
    const double farthest =
        std::max(profile::mixture_loss(rate_, log_ratio(end)), -profile::mixture_loss(rate_, log_ratio(-end)));
    const double rounding = 8 * unit * farthest + 0x1p-1022;
    const double of_odds = 8 + mean_ * mean_ + std::abs(log_odds_);
    const double of_noise = unit * (4 * reach + std::min(1.0, reach) * of_odds);
    return {.mass = of_ratios.mass,
            .barycentre = 2 * slope * of_ratios.barycentre + rounding,
            .loss = 2 * slope * of_noise + rounding};
  }

 private:
  // Of the densities of N(m, 1) and N(0, 1); for N(-m, 1) that of -t.
  double log_ratio(double t) const { return mean_ * (t - mean_ / 2); }

  double loss_of_ratios(double with, double replaced) const {
    return profile::mixture_loss(rate_, with) - profile::mixture_loss(rate_, replaced);
  }

  double rate_;
  double mean_;
  double log_odds_;  // of (1-q) to q e^(-m^2/2)
};

}  // namespace

Pieces replaced_poisson_gaussian_pieces(double rate, double noise_multiplier, const Cut& cut) {
  require(0 < rate && rate <= 1, "rate", rate, "in (0, 1]");
  check(cut);
  if (rate == 1) return gaussian_pieces(noise_multiplier, cut);
  const GaussianPair pair(noise_multiplier);
  const MirroredMixtures mixtures(rate, pair.mean());
  const double farthest = std::max(pair.tail_point(tail_inside(rate, cut.tail / 2)), numeric::tail_point(cut.tail / 2));
  const auto [first, last] = multiples_around(0, mixtures.loss(farthest), cut.step);

  Pieces upper;
  upper.pieces.reserve(static_cast<std::size_t>(2 * last));
  each_cell(
      cut.step, first, last, [&](double loss) { return mixtures.noise_of(loss); },
      [&](double low, double high, double from, double to) {
        upper.pieces.push_back(mixtures.piece(low, high, from, to));
      });
  const double highest = upper.pieces.back().high;
  const double end = mixtures.noise_of(highest);

  Pieces result = reversed(upper);
  result.pieces.insert(result.pieces.end(), upper.pieces.begin(), upper.pieces.end());
  result.errors = mixtures.errors(pair, end);
  // Of what both hold at 0, P's is worth Q's at the lowest loss but for this share.
  const double share = -std::expm1(-highest) * (1 + unit);
  const double in_both = (numeric::upper_tail(end) + 0x1p-1022) * (1 + result.errors.mass);
  result.p_above = result.q_below = ((1 - rate) * share * in_both + rate * pair.p_above(end)) * (1 + 0x1p-48);
  return result;
}

}  // namespace dpbudget::loss_distribution
