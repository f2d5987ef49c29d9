#include "dpbudget/accounting/shuffle/clones/hidden_pair.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tanh_half.h"

namespace dpbudget::shuffle {

using numeric::tanh_half;
namespace {

using numeric::unit;

// Epsilon is about in proportion to the root of the number of clones.
constexpr double block_share = 4e-4;
constexpr double negligible_mass = 1e-100;

// The level of X given c clones: the revealed one, over the chance that the first report is among them; none where X
// cannot exceed it. Its distance from 1 is a difference of two numbers, and tells on which side of 1 the level is only
// where it is beyond their errors.
std::optional<Level> raised(const Level& revealed, const HiddenPair& pair, double c) {
  const double by = revealed.value * pair.dilution(c);
  const double value = revealed.value + by;
  const double below_one = revealed.below_one - by;
  const double error = (4 * unit + pair.dilution_error()) * (value > 0.5 ? revealed.below_one + by : value);
  if (below_one <= -error) return std::nullopt;
  return Level{std::min(1.0, value), std::max(0.0, below_one), error};
}

double log_factor_of(const HiddenPair& pair, double epsilon) {
  return std::log(pair.share) + epsilon + std::log1p(std::exp(-epsilon)) + std::log(tanh_half(pair.local_epsilon));
}

}  // namespace

// accounting/shuffle/proofs.md, 4.2
double HiddenPair::dilution(double c) const {
  return c == count.others() ? 0 : absent * static_cast<double>(count.ratio(c));
}

double HiddenPair::dilution_error() const { return 4 * unit + count.odds_error(); }

numeric::Bracket log_delta(const HiddenPair& pair, double epsilon) {
  const ClonePair revealed{pair.local_epsilon, pair.count, std::log(pair.share)};
  if (epsilon >= pair.local_epsilon) return {-infinity, -infinity};
  const Level level = revealed.level(epsilon);
  // What is left out are numbers of reports of which the bound for revealed components is negligible.
  double lower = 0;
  double upper = 0;
  double scale = -infinity;
  const auto term = [&](double c) {
    const std::optional<Level> at_c = raised(level, pair, c);
    if (!at_c) return numeric::Bracket{-infinity, -infinity};
    const numeric::Bracket tail = log_sign_tail(c + 1, *at_c, 0x1p-56);
    const numeric::Bracket mass = pair.count.log_mass(c);
    return numeric::Bracket{tail.lower + mass.lower, tail.upper + mass.upper};
  };
  const auto add = [&](const numeric::Bracket& found) {
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
  const double log_factor = log_factor_of(pair, epsilon);
  const double error = unit * (16 + std::abs(scale) + std::abs(log_factor) + epsilon +
                               (pair.count.deviation() + 1) / 4 + std::abs(std::log(upper)));
  return {log_factor + scale + std::log(lower) - error, std::min(0.0, log_factor + scale + std::log(upper) + error)};
}

HiddenPairFloor::HiddenPairFloor(const HiddenPair& pair)
    : pair_(pair), found_(clone_blocks(pair.count, [](double m) { return block_share * m; }, negligible_mass)) {}

double HiddenPairFloor::log_delta(double epsilon) const {
  if (epsilon >= pair_.local_epsilon) return -infinity;
  const Level level = ClonePair{pair_.local_epsilon, pair_.count, 0}.level(epsilon);
  double log_sum = -infinity;
  for (const CloneBlock& block : found_.blocks) {
    if (!(block.mass > 0)) continue;
    const std::optional<Level> at_first = raised(level, pair_, block.first);
    if (!at_first) continue;
    const double log_tail = log_sign_tail(block.last + 1, *at_first, 0x1p-40).lower;
    if (log_tail == -infinity) continue;
    log_sum = numeric::log_add(log_sum, std::log(block.mass) + log_tail);
  }
  if (log_sum == -infinity) return -infinity;
  const double log_factor = log_factor_of(pair_, epsilon);
  const auto blocks = static_cast<double>(found_.blocks.size());
  return log_factor + log_sum - 2 * found_.error -
         unit * (16 + 4 * blocks + std::abs(log_sum) + std::abs(log_factor) + epsilon);
}

}  // namespace dpbudget::shuffle
