#include "dpbudget/accounting/loss_distribution/releases/poisson_gaussian.h"

#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::loss_distribution {

Pieces poisson_gaussian_pieces(double rate, double noise_multiplier, const Cut& cut) {
  require(0 < rate && rate <= 1, "rate", rate, "in (0, 1]");
  check(cut);
  const GaussianPair pair(noise_multiplier);
  const auto noise_of = [&](double loss) { return profile::unmixed_loss(rate, loss) * noise_multiplier; };
  const double lowest = -pair.mean() - numeric::tail_point(cut.tail);
  const double highest = pair.tail_point(tail_inside(rate, cut.tail));
  const auto [first, last] = multiples_around(profile::mixture_loss(rate, lowest / noise_multiplier),
                                              profile::mixture_loss(rate, highest / noise_multiplier), cut.step);

  Pieces result;
  result.pieces.reserve(static_cast<std::size_t>(last - first));
  each_cell(cut.step, first, last, noise_of, [&](double low, double high, double from, double to) {
    result.pieces.push_back(mixed_piece(rate, low, high, pair.cell(from, to)));
  });

  const double start = noise_of(result.pieces.front().low);  // -infinity below log(1 - rate)
  const double end = noise_of(result.pieces.back().high);
  const double farthest = std::max(std::abs(result.pieces.front().low), std::abs(result.pieces.back().high));
  result.errors = mixed_cell_errors(pair, rate, start, end, farthest);
  // (1 - rate) Q is what Q is worth at the lowest loss.
  result.p_above = rate * pair.p_above(end) * (1 + 0x1p-50);
  result.q_below = pair.p_above(-start);
  return result;
}

}  // namespace dpbudget::loss_distribution
