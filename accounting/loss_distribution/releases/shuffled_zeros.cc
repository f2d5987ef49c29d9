#include "dpbudget/accounting/loss_distribution/releases/shuffled_zeros.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/loss_cells.h"
#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;

Pieces shuffled_zeros_pieces(double local_epsilon, double reports, const Cut& cut) {
  check(cut);
  const double others = reports - 1;
  const double likely = 1 / (1 + std::exp(-local_epsilon));
  const double unlikely = 1 / (1 + std::exp(local_epsilon));
  if (others == 0) return randomized_response_pieces(local_epsilon, 2);
  // Ones among the others; by Hoeffding fewer or more than `far` from the mean are rarer than the tail.
  const auto ones = numeric::Binomial::of_odds(others, local_epsilon).reversed();
  const double odds = std::exp(local_epsilon);
  // P(ones = y - 1) / P(ones = y).
  const auto ratio = [&](double y) { return y / (others - y + 1) * odds; };
  const auto loss_at = [&](double y) {
    if (y == 0) return -local_epsilon;
    if (y == reports) return local_epsilon;
    const double r = ratio(y);
    return std::log((likely * r + unlikely) / (unlikely * r + likely));
  };
  // The loss increases in y: |loss| > l where y is far from the mean. A binomial's tail is within Chernoff's bound.
  const auto tail = [&](double from, double to) {
    const double y = std::clamp(from, 0.0, others);
    const double step = to > from ? 1 : -1;
    double next = y + step;
    if (next < 0 || next > others) return std::exp(ones.log_mass(y)) * (1 + 1e-9);
    const double r = step > 0 ? 1 / ratio(next) : ratio(y);
    return r < 1 ? std::exp(ones.log_mass(y)) / (1 - r) * (1 + 1e-9) : 1.0;
  };
  const auto outside = [&](double loss) {
    // The farthest numbers of ones with a loss within +-loss, by inverting loss_at.
    const double e = std::exp(loss);
    const double r = (likely * e - unlikely) / (likely - unlikely * e);
    if (!(r > 0)) return 0.0;
    const double high = std::floor(r * (others + 1) / (r + odds)) - 1;
    const double low = std::ceil((others + 1) / (1 + r * odds)) + 1;
    return tail(high, others + 1) + tail(low - 1, -1);
  };
  LossCells cells(local_epsilon, cut, outside);
  const double centre = ones.mode();
  const double at_centre = std::exp(ones.log_mass(centre));
  const auto walk = [&](double from, double step, double mass) {
    for (double y = from; 0 <= y && y <= reports; y += step) {
      // mass is that of y ones among the others; for y = reports it is of y - 1.
      const double loss = loss_at(y);
      if (std::abs(loss) > cells.end()) return;
      if (mass < least_mass) return cells.leave_out(reports);
      if (y == reports) {
        cells.add(loss, mass * likely, mass * unlikely);
        return;
      }
      const double r = ratio(y);
      cells.add(loss, mass * (likely * r + unlikely), mass * (unlikely * r + likely));
      if (step < 0) {
        mass *= r;
      } else if (y < others) {
        mass /= ratio(y + 1);
      }
    }
  };
  walk(centre, 1, at_centre);
  if (centre > 0) walk(centre - 1, -1, at_centre * ratio(centre));
  const double steps = std::min(others, 80 * ones.deviation() + 80);
  return cells.pieces(2 * (ones.log_mass_error(1) + unit * (64 + 2 * steps)));
}

}  // namespace dpbudget::loss_distribution
