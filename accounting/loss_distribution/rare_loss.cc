#include "dpbudget/accounting/loss_distribution/rare_loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/query.h"
#include "dpbudget/accounting/loss_distribution/small_losses.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;
namespace {

// Deltas above this are far from where rounding hides them from a transform.
constexpr double most_delta = 1e-13;

// Of more, each looked at many times, transforms take no longer.
constexpr std::size_t most_parts = 8;

// Losses are large from where two of them have no more than this share of delta.
constexpr double share_of_two = 1e-5;

// Sums of small losses are looked at from epsilon down by this factor, as far as Chernoff's bound says anything.
constexpr double level_factor = 0.25;
constexpr double least_level = 0x1p-60;
constexpr double says_nothing = 0.5;
constexpr std::array shares_of_level = {0.5, 0.125};
constexpr double least_improvement = 1e-6;

// An epsilon is moved so many times, to where delta is what it is to be, and so much farther.
constexpr int most_moves = 4;
constexpr double farther = 1e-9;

double count_of(const Part& part) { return static_cast<double>(part.count); }

double total_count(const std::vector<Part>& parts) {
  double total = 0;
  for (const Part& part : parts) total += count_of(part);
  return total;
}

// The sum of all releases' deltas, outwards.
double delta_of_one(const std::vector<Part>& parts, double epsilon) {
  double sum = 0;
  for (const Part& part : parts) sum += count_of(part) * delta_at(*part.distribution, epsilon);
  const double change = unit * static_cast<double>(parts.size() + 1);
  return parts.front().distribution->side == Side::upper ? numeric::raised(sum, change) : sum * (1 - change);
}

// Chernoff's bound on a sum of losses up to `threshold` at `sum`: e^(log_bound(order) - order sum), the least.
template <class LogBound>
double chernoff(double sum, double threshold, const LogBound& log_bound) {
  double least = infinity;
  for (double order = 4 / sum; order < 0x1p9 / threshold; order *= 2) {
    const double product = order * sum;
    const double log_value = log_bound(order) - product;
    least = std::min(least, log_value + unit * (2 * product + std::abs(log_value)));
  }
  return numeric::exp_up(least, unit * (1 + std::abs(least)));
}

// What the composition has at the two ends of what one large loss makes of it.
struct Ends {
  double lower;
  double upper;
};

class OneLargeLoss {
 public:
  OneLargeLoss(const std::vector<Part>& parts, double epsilon, double threshold)
      : parts_(parts),
        epsilon_(epsilon),
        threshold_(threshold),
        small_(parts, threshold),
        total_mass_(product_of_moments(0) * numeric::exp_up(mass_at_infinity())),
        total_mean_(product_of_moments(-1)) {}

  Ends ends() const { return {lower(), upper()}; }

 private:
  // What the sum of all small losses but one has far from 0.
  struct Level {
    double sum;
    double above;  // at least the mass of sums above it
    double below;  // at least the mean of (e^-sum' - e^sum)_+ over all sums'
  };

  // With u = e^-sum, one loss's delta at epsilon - sum is convex in u: least where all of u is at its mean.
  double lower() const {
    const LogRange mass = small_.of_others(0);
    const double mean = small_.of_others(-1).greatest - mass.least;
    const double shifted = epsilon_ + mean + unit * (epsilon_ + std::abs(mean));
    if (!(shifted > small_.greatest())) return 0;
    return delta_of_one(parts_, shifted) * numeric::exp_down(mass.least, unit * (1 + std::abs(mass.least)));
  }

  // Nearby at most its chord, and farther away as much as is left of the sums.
  double upper() const {
    const double large = mass_above(parts_, threshold_);
    double best = infinity;
    double farther_away = 0;
    double before = large;
    for (double sum = 0.5 * epsilon_; sum > least_level * epsilon_; sum *= level_factor) {
      const Level level = level_at(sum);
      if (level.above > says_nothing) break;
      const double here = delta_of_one(parts_, (epsilon_ - sum) * (1 - unit));
      farther_away += std::max(0.0, before - here) * level.above;
      before = here;
      const double found = nearby(level, here) + farther_away;
      const bool is_better = found < (1 - least_improvement) * best;
      best = std::min(best, found);
      if (!is_better) break;
    }
    const double none = chernoff(epsilon_, threshold_, [&](double order) { return small_.of_all(order).greatest; });
    return numeric::raised(best + large * large / 2 * total_mass_ + none, 64 * unit) + 0x1p-1000;
  }

  // Chernoff's bound where no loss is larger than a share of the sum, and those that are.
  Level level_at(double sum) const {
    Level level{sum, infinity, infinity};
    for (const double share : shares_of_level) {
      const double threshold = std::min(threshold_, share * sum);
      const SmallLosses smaller(parts_, threshold);
      const double larger = mass_above(parts_, threshold);
      const double above = chernoff(sum, threshold, [&](double order) { return smaller.of_others(order).greatest; });
      // (e^y - 1)_+ is at most e^(c y) / c for every c > 1.
      const double below = chernoff(sum, threshold, [&](double order) {
        return order > 1 ? smaller.of_others(-order).greatest + sum - std::log(order) : infinity;
      });
      level.above = std::min(level.above, larger * total_mass_ + above);
      level.below = std::min(level.below, (larger + mean_below(parts_, threshold)) * total_mean_ + below);
    }
    return level;
  }

  // @param here  delta of one loss at epsilon less the level's sum
  double nearby(const Level& level, double here) const {
    const double there = std::min(here, delta_of_one(parts_, (epsilon_ + level.sum) * (1 - unit)));
    const double mass = small_.of_others(0).greatest;
    const double of_u = small_.of_others(-1).least;
    const double width = 2 * std::sinh(level.sum);
    // Where the chord's end is on the whole, and how far the mean is from it.
    const double from_end = std::expm1(level.sum) * std::exp(mass) + std::exp(of_u) * std::expm1(mass - of_u);
    const double share = std::max(0.0, from_end / width);
    return there * std::exp(mass) + (here - there) * (share + 16 * unit + level.below / width);
  }

  double mass_at_infinity() const {
    double sum = 0;
    for (const Part& part : parts_) sum += count_of(part) * part.distribution->at_infinity;
    return numeric::raised(sum, unit * static_cast<double>(parts_.size()));
  }

  // The product of what all releases have of e^(order loss), infinite losses aside, as far as each has more than 1.
  double product_of_moments(double order) const {
    double sum = 0;
    for (const Part& part : parts_) {
      const auto [value, error] = log_moment(*part.distribution, order);
      sum += count_of(part) * std::max(0.0, value + error);
    }
    return numeric::exp_up(sum, unit * static_cast<double>(parts_.size() + 4) * (1 + sum));
  }

  const std::vector<Part>& parts_;
  double epsilon_;
  double threshold_;
  SmallLosses small_;
  double total_mass_;
  double total_mean_;  // of e^-sum
};

}  // namespace

// accounting/loss_distribution/proofs.md, 3.5
std::optional<RareLoss> rare_log_delta(const std::vector<Part>& parts, double epsilon) {
  const bool is_upper = parts.front().distribution->side == Side::upper;
  if (total_count(parts) < 2 || parts.size() > most_parts) return std::nullopt;
  double slack = 0;
  for (const Part& part : parts) slack += count_of(part) * part.distribution->slack;
  const double rounding = unit * (epsilon + static_cast<double>(parts.size()) * slack);
  const double shifted = is_upper ? epsilon - slack - rounding : epsilon + slack + rounding;
  if (!(shifted > 0)) return std::nullopt;
  const double of_one = delta_of_one(parts, shifted);
  if (!(of_one > 0 && of_one < most_delta)) return std::nullopt;

  const double most = std::sqrt(2 * share_of_two * of_one);
  double threshold = shifted / 2;
  if (mass_above(parts, threshold) > most) return std::nullopt;
  while (threshold > least_level * shifted && mass_above(parts, threshold / 2) <= most) threshold /= 2;
  const Ends ends = OneLargeLoss(parts, shifted, threshold).ends();
  if (!(ends.upper < infinity && ends.lower > 0)) return std::nullopt;
  return RareLoss{std::log(is_upper ? ends.upper : ends.lower), ends.upper / ends.lower - 1};
}

// accounting/loss_distribution/proofs.md, 3.5
std::optional<RareLoss> rare_epsilon(const std::vector<Part>& parts, double delta) {
  if (!(delta < most_delta) || parts.size() > most_parts) return std::nullopt;
  const bool is_upper = parts.front().distribution->side == Side::upper;
  double top = 0;
  for (const Part& part : parts) top = std::max(top, part.distribution->safe_loss(part.distribution->mass.size() - 1));
  if (!(top > 0)) return std::nullopt;

  double first = 0;
  double log_wanted = std::log(delta);
  for (int move = 0; move < most_moves; ++move) {
    const auto excess = [&](double epsilon) { return std::log(delta_of_one(parts, epsilon)) - log_wanted; };
    const numeric::Bracket root =
        numeric::certified_root(excess, 0.0, top, numeric::RootPrecision{.relative = farther});
    const double epsilon = is_upper ? root.upper : root.lower;
    if (move == 0) first = epsilon;
    const auto found = rare_log_delta(parts, epsilon);
    if (!found) return std::nullopt;
    const double beyond = found->value - std::log(delta);
    const double least = 8 * unit * std::abs(log_wanted);
    if (is_upper ? beyond < -least : beyond > least) return RareLoss{epsilon, std::abs(epsilon - first) / first};
    if (!std::isfinite(beyond)) return std::nullopt;
    log_wanted -= beyond + (is_upper ? farther : -farther);
  }
  return std::nullopt;
}

}  // namespace dpbudget::loss_distribution
