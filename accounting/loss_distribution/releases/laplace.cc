#include "dpbudget/accounting/loss_distribution/releases/laplace.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/mixed_errors.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"
#include "dpbudget/accounting/loss_distribution/releases/normal_cell.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// The two Laplace laws by their loss, which is between atoms at -1/scale and 1/scale.
class LaplacePair {
 public:
  explicit LaplacePair(double scale) : most_(1 / scale) {
    ranges::scale(scale);
    require(std::isfinite(most_), "scale", scale, "large enough for a finite loss of 1/scale");
  }

  double most() const { return most_; }
  NormalCell lowest() const { return {std::exp(-most_) / 2, 0.5, -most_}; }
  NormalCell highest() const { return {0.5, std::exp(-most_) / 2, most_}; }

  // Losses in [from, to]: their densities at x are e^{(x - most)/2} / 4 and e^{-(x + most)/2} / 4.
  NormalCell cell(double from, double to) const {
    const double share = -std::expm1((from - to) / 2) / 2;
    return {std::exp((to - most_) / 2) * share, std::exp(-(from + most_) / 2) * share, from + (to - from) / 2};
  }

  // Of cells that are cut by the losses of the mixture at that rate.
  // accounting/loss_distribution/proofs.md, 4.2a
  PieceErrors errors(double rate, double farthest) const {
    const double rounding = unit * most_;
    if (rate == 1) return {.mass = 4 * unit + rounding, .barycentre = rounding, .loss = rounding};
    PieceErrors mixed = mixed_errors({.mass = 6 * unit + rounding, .barycentre = 3 * rounding, .loss = 3 * rounding},
                                     rate, most_, farthest);
    mixed.loss += 4 * unit * (farthest - std::log1p(-rate));
    return mixed;
  }

 private:
  double most_;
};

Pieces mixed_pieces(const LaplacePair& pair, double rate, double step, bool has_lowest) {
  const double lowest = has_lowest ? profile::mixture_loss(rate, -pair.most()) : 0;
  const double highest = profile::mixture_loss(rate, pair.most());
  const auto [first, last] = multiples_around(lowest, highest, step);
  const auto inside = [&](double loss) {
    return std::clamp(profile::unmixed_loss(rate, loss), has_lowest ? -pair.most() : 0, pair.most());
  };
  Pieces result;
  result.pieces.reserve(static_cast<std::size_t>(last - first + 2));
  if (has_lowest) result.pieces.push_back(mixed_piece(rate, lowest, lowest, pair.lowest()));
  each_cell(step, first, last, inside, [&](double low, double high, double from, double to) {
    result.pieces.push_back(mixed_piece(rate, std::max(low, lowest), std::min(high, highest), pair.cell(from, to)));
  });
  result.pieces.push_back(mixed_piece(rate, highest, highest, pair.highest()));
  result.errors = pair.errors(rate, std::max(std::abs(lowest), highest));
  return result;
}

void check(double rate, const Cut& cut) {
  require(0 < rate && rate <= 1, "rate", rate, "in (0, 1]");
  check(cut);
}

}  // namespace

Pieces laplace_pieces(double scale, const Cut& cut) { return poisson_laplace_pieces(1, scale, cut); }

Pieces poisson_laplace_pieces(double rate, double scale, const Cut& cut) {
  check(rate, cut);
  return mixed_pieces(LaplacePair(scale), rate, cut.step, true);
}

Pieces without_replacement_laplace_pieces(double rate, double scale, const Cut& cut) {
  check(rate, cut);
  const LaplacePair pair(scale);
  const Pieces upper = mixed_pieces(pair, rate, cut.step, false);
  Pieces result = reversed(upper);
  const double neither = (1 - rate) * -std::expm1(-pair.most() / 2);
  if (neither > 0) result.pieces.push_back({0, 0, neither, neither, 0});
  result.pieces.insert(result.pieces.end(), upper.pieces.begin(), upper.pieces.end());
  return result;
}

}  // namespace dpbudget::loss_distribution
