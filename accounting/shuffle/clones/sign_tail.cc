#include "dpbudget/accounting/shuffle/clones/sign_tail.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {

using numeric::geometric_sum;
using numeric::jump_share;
using numeric::least_smooth_deviation;
using numeric::unit;

// accounting/shuffle/proofs.md, 1.3
numeric::Bracket log_sign_tail(double m, const Level& level, double negligible) {
  // m (X - level) at b, from the end that is nearer.
  const bool is_high = level.value > 0.5;
  const double reach = m * level.below_one;
  const double threshold = m * level.value;
  const auto excess = [&](double b) { return is_high ? reach - 2 * (m - b) : (2 * b - m) - threshold; };
  // The value before the first above the level: its excess is 0, unless rounding has moved the level past it.
  const double start = std::clamp(is_high ? m - std::ceil(reach / 2) : std::floor((m + threshold) / 2), 0.0, m);
  const auto fair = numeric::Binomial::of_odds(m, 0);
  const double log_first = fair.log_mass(start);
  const bool is_smooth = fair.deviation() >= least_smooth_deviation;
  const double share = jump_share(negligible);
  double b = start;
  double mass = 1;
  double lower = 0;
  double upper = 0;
  double all = 0;
  double rest = 0;
  double terms = 0;
  while (true) {
    const double fall = (2 * b + 1 - m) / (b + 1);  // 1 - the ratio of the next mass to this one
    const double size = is_smooth && b > start
                            ? std::clamp(std::floor(share * std::min(fair.deviation(), 1 / fall)), 1.0, m - b + 1)
                            : 1;
    double last_mass = mass;
    if (size == 1) {
      const double term = mass * std::max(0.0, excess(b));
      lower += term;
      upper += term;
      all += mass;
    } else {
      // Masses fall ever faster and excesses grow evenly. Chebyshev: their products sum up to at most the product of
      // the means; Gruess: to at least that less a quarter of the product of both ranges.
      const double last = b + size - 1;
      const double last_fall = (2 * last + 1 - m) / (last + 1);
      const double mean_excess = (excess(b) + excess(last)) / 2;
      const auto least = static_cast<double>(geometric_sum(last_fall, size));
      const auto most = static_cast<double>(geometric_sum(fall, size));
      const double range = -std::expm1((size - 1) * std::log1p(-last_fall));
      lower += mass * std::max(0.0, least * mean_excess - size * range * (size - 1) / 2);
      upper += mass * most * mean_excess;
      all += mass * most;
      last_mass *= std::exp((size - 1) * std::log1p(-fall));
      b = last;
    }
    ++terms;
    if (b == m) break;
    const double ratio = (m - b) / (b + 1);
    if (ratio < 1) {
      // Masses fall at least geometrically, and the excess grows by 2.
      const double series = ratio / (1 - ratio);
      rest = last_mass * series * (std::max(0.0, excess(b)) + 2 / (1 - ratio));
      if (rest <= negligible * lower) break;
    }
    ++b;
    mass = is_smooth ? std::exp(fair.log_mass(b) - log_first) : mass * ratio;
  }
  if (b == m) rest = 0;
  const double log_scale = log_first - std::log(m);
  // Each mass by 3 units of 2^-53 a term, or by its own error, which grows where masses weigh little; the threshold by
  // its own error, for each of the masses.
  const double error =
      fair.log_mass_error(std::abs(log_first) + (is_smooth ? 64 : 0)) + unit * (terms / 2 + 8 + std::abs(log_scale));
  const double moved = (m * level.error + unit * std::min(threshold, reach)) * all;
  const auto log_of = [&](double value) { return value > 0 ? log_scale + std::log(value) : -infinity; };
  return {log_of(lower - moved) - error, log_of(upper + rest + moved) + error};
}

}  // namespace dpbudget::shuffle
