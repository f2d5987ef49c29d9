#include "dpbudget/accounting/shuffle/hidden_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/renyi/rounding.h"

namespace dpbudget::shuffle {

LogBracket log_delta(const HiddenPair& pair, double epsilon) {
  using renyi::unit;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const ClonePair revealed{pair.local_epsilon, pair.count, std::log(pair.share)};
  if (epsilon >= pair.local_epsilon) return {-infinity, -infinity};
  const Level level = revealed.level(epsilon);
  const double absent = (1 - pair.share) / pair.share;
  // What is left out are numbers of reports of which the bound for revealed components is negligible.
  double lower = 0;
  double upper = 0;
  double scale = -infinity;
  const auto term = [&](double c) {
    // The level of X given m = c + 1 reports is the revealed one, over the chance that the first is among them.
    const double dilution = absent * static_cast<double>(pair.count.ratio(c));
    const double raised = level.value * (1 + dilution);
    if (!(raised < 1)) return LogBracket{-infinity, -infinity};
    const double below_one = std::max(0.0, level.below_one - level.value * dilution);
    const double error = unit * std::min(raised, level.below_one + level.value * dilution);
    const LogBracket tail = log_sign_tail(c + 1, {raised, below_one, error}, 0x1p-56);
    const LogBracket mass = pair.count.log_mass(c);
    return LogBracket{tail.lower + mass.lower, tail.upper + mass.upper};
  };
  const auto add = [&](const LogBracket& found) {
    if (found.upper == -infinity) return;
    if (found.upper > scale + 600) {
      const double factor = scale == -infinity ? 0 : std::exp(scale - found.upper);
      lower *= factor;
      upper *= factor;
      scale = found.upper;
    }
    lower += std::exp(found.lower - scale);
    upper += std::exp(found.upper - scale);
  };
  const double mode = pair.count.mode();
  const double others = pair.count.others();
  const double log_largest = log_sign_tail(1, level, 0x1p-56).upper;
  const auto walk = [&](double from, double step) {
    for (double c = from; 0 <= c && c <= others; c += step) {
      add(term(c));
      const double next = c + step;
      if (next < 0 || next > others) return;
      const auto ratio = static_cast<double>(step > 0 ? pair.count.ratio(c) : 1 / pair.count.ratio(next));
      if (ratio >= 1) continue;
      // The tail given any number of reports is at most that of one.
      const double log_rest = pair.count.log_mass(c).upper + std::log(ratio / (1 - ratio)) + log_largest;
      if (upper > 0 && log_rest < scale + std::log(upper) - 40) {
        upper += std::exp(log_rest - scale);
        return;
      }
    }
  };
  walk(mode, 1);
  walk(mode - 1, -1);
  if (upper == 0) return {-infinity, -infinity};
  const double log_factor =
      std::log(pair.share) + epsilon + std::log1p(std::exp(-epsilon)) + std::log(std::tanh(pair.local_epsilon / 2));
  const double error = unit * (16 + std::abs(scale) + std::abs(log_factor) + epsilon +
                               (pair.count.deviation() + 1) / 4 + std::abs(std::log(upper)));
  return {log_factor + scale + std::log(lower) - error, std::min(0.0, log_factor + scale + std::log(upper) + error)};
}

}  // namespace dpbudget::shuffle
