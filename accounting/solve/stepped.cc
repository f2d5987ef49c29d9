#include "dpbudget/accounting/solve/stepped.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::solve {
namespace {

// Relative to the value: of the first step where nothing is said of how far it is, and of the longest; in whole numbers
// the next one, at least.
constexpr double shortest = 1e-12;
constexpr double longest = 0.5;

// Steps are so many times what would do by what is known, and at most so many times the one before.
constexpr double generous = 1.25;
constexpr double longer = 16;
constexpr int most_steps = 40;

// After so many a value this many times as far is looked at: where that is not inside either, the rest is too much, and
// no other is looked for.
constexpr int many_steps = 8;
constexpr double far = 0x1p40;
constexpr double farthest_value = 1e300;

double safer(UnknownKind kind, double value, double share) {
  const double direction = is_cost(kind) ? -1 : 1;
  if (!is_whole(kind)) return value * (1 + direction * share);
  const double least = is_size(kind) ? 1 : 0;
  return std::max(least, value + direction * std::max(1.0, std::round(share * value)));
}

}  // namespace

std::optional<double> stepped(UnknownKind kind, double value, const std::function<double(double)>& beyond_at,
                              double farthest) {
  double share = is_whole(kind) ? 1 / std::max(1.0, value) : shortest;
  double before = infinity;
  for (int step = 0; step < most_steps && share <= farthest; ++step) {
    const double beyond = beyond_at(value);
    if (beyond <= 0) return value;
    if (step == many_steps && !is_whole(kind) &&
        beyond_at(is_cost(kind) ? value / far : std::min(value * far, farthest_value)) > 0)
      return std::nullopt;
    double next = share * longer;
    if (step == 0)
      next = std::isfinite(beyond) ? std::max(share, generous * beyond) : share;
    else if (beyond < before && std::isfinite(before))
      next = std::clamp(generous * share * beyond / (before - beyond), share / longer, next);
    share = std::min(next, longest);
    before = beyond;
    value = safer(kind, value, share);
  }
  return std::nullopt;
}

}  // namespace dpbudget::solve
