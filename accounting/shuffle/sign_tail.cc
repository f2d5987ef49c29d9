#include "dpbudget/accounting/shuffle/sign_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/renyi/rounding.h"

namespace dpbudget::shuffle {

using renyi::unit;

LogBracket log_sign_tail(double m, const Level& level, double negligible) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // m (X - level) at b, from the end that is nearer.
  const bool is_high = level.value > 0.5;
  const double reach = m * level.below_one;
  const double threshold = m * level.value;
  const auto excess = [&](double b) { return is_high ? reach - 2 * (m - b) : (2 * b - m) - threshold; };
  // The value before the first above the level: its excess is 0, unless rounding has moved the level past it.
  const double start = std::clamp(is_high ? m - std::ceil(reach / 2) : std::floor((m + threshold) / 2), 0.0, m);
  double b = start;
  double mass = 1;
  double sum = 0;
  double all = 0;
  double rest = 0;
  double terms = 0;
  while (true) {
    sum += mass * std::max(0.0, excess(b));
    all += mass;
    ++terms;
    if (b == m) break;
    const double ratio = (m - b) / (b + 1);
    if (ratio < 1) {
      // Masses fall at least geometrically, and the excess grows by 2.
      const double series = ratio / (1 - ratio);
      rest = mass * series * (std::max(0.0, excess(b)) + 2 / (1 - ratio));
      if (rest <= negligible * sum) break;
    }
    mass *= ratio;
    ++b;
  }
  if (b == m) rest = 0;
  const auto fair = approximate::Binomial::of_odds(m, 0);
  const double log_first = fair.log_mass(start);
  const double log_scale = log_first - std::log(m);
  // Each mass by 3 units of 2^-53 a term; the threshold by its own error, for each of the masses.
  const double error = fair.log_mass_error(log_first) + unit * (terms / 2 + 8 + std::abs(log_scale));
  const double moved = (m * level.error + unit * std::min(threshold, reach)) * all;
  const auto log_of = [&](double value) { return value > 0 ? log_scale + std::log(value) : -infinity; };
  return {log_of(sum - moved) - error, log_of(sum + rest + moved) + error};
}

}  // namespace dpbudget::shuffle
