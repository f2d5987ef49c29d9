#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"

#include "dpbudget/accounting/loss_distribution/releases/gaussian_pair.h"
#include "dpbudget/accounting/numeric/normal.h"

namespace dpbudget::loss_distribution {

Pieces gaussian_pieces(double noise_multiplier, const Cut& cut) {
  check(cut);
  const GaussianPair pair(noise_multiplier);
  const double farthest_loss = (pair.mean() + numeric::tail_point(cut.tail)) / noise_multiplier;
  const auto [first, last] = multiples_around(-farthest_loss, farthest_loss, cut.step);

  Pieces result;
  result.pieces.reserve(static_cast<std::size_t>(last - first));
  each_cell(
      cut.step, first, last, [&](double loss) { return loss * noise_multiplier; },
      [&](double low, double high, double from, double to) {
        const NormalCell cell = pair.cell(from, to);
        result.pieces.push_back({low, high, cell.p, cell.q, std::clamp(cell.log_ratio, low, high)});
      });
  const double end_loss = result.pieces.back().high;
  const double end = end_loss * noise_multiplier;
  result.errors = pair.errors(end, end_loss);
  result.p_above = pair.p_above(end);
  result.q_below = result.p_above;
  return result;
}

}  // namespace dpbudget::loss_distribution
