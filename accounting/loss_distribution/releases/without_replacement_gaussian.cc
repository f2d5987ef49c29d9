#include "dpbudget/accounting/loss_distribution/releases/without_replacement_gaussian.h"

#include <cmath>
#include <numbers>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {

Pieces without_replacement_gaussian_pieces(double rate, double noise_multiplier, const Cut& cut) {
  require(0 < rate && rate <= 1, "rate", rate, "in (0, 1]");
  check(cut);
  const GaussianPair pair(noise_multiplier);
  const auto noise_of = [&](double loss) { return profile::unmixed_loss(rate, loss) * noise_multiplier; };
  const double highest =
      profile::mixture_loss(rate, pair.tail_point(tail_inside(rate, cut.tail / 2)) / noise_multiplier);
  const auto [first, last] = multiples_around(0, highest, cut.step);

  Pieces upper;
  upper.pieces.reserve(static_cast<std::size_t>(2 * last + 1));
  each_cell(cut.step, first, last, noise_of, [&](double low, double high, double from, double to) {
    upper.pieces.push_back(mixed_piece(rate, low, high, pair.cell(from, to)));
  });
  const double end = noise_of(upper.pieces.back().high);

  Pieces result = reversed(upper);
  const double neither = (1 - rate) * std::erf(pair.mean() / std::numbers::sqrt2);
  if (neither > 0) result.pieces.push_back({0, 0, neither, neither, 0});
  result.pieces.insert(result.pieces.end(), upper.pieces.begin(), upper.pieces.end());
  result.errors = mixed_cell_errors(pair, rate, 0, end, result.pieces.back().high);
  // Beyond what Q is worth at the lowest loss, where P is at least Q e^(end / s).
  const double share = -std::expm1(-result.pieces.back().high);
  result.p_above = result.q_below = (rate * pair.p_above(end) + share * pair.q_above(end)) * (1 + 0x1p-50);
  return result;
}

}  // namespace dpbudget::loss_distribution
