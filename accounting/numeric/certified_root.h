/// @file
/// Where a monotone function crosses 0, between two points at which it was found on either side.
#pragma once

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::numeric {

/// A point, and what a function is there.
struct Evaluated {
  double at;
  double value;
};

/// When a root is known well enough.
struct RootPrecision {
  double relative = 0;  ///< of the larger end; never asked for beyond what a double resolves
  double absolute = 0;

  bool operator()(double lower, double upper) const {
    constexpr double resolution = 4 * std::numeric_limits<double>::epsilon();
    const double size = std::max(std::abs(lower), std::abs(upper));
    return upper - lower <= std::max(absolute, std::max(relative, resolution) * size);
  }
};

/// Reached only by functions that jump, or that are flat where they are 0: others take a dozen or two.
inline constexpr std::uintmax_t most_root_evaluations = 200;

/// Two points, both evaluated, between which `excess` changes its sign: of a function that falls it is at least 0 at
/// the lower one and at most 0 at the upper one; of a function that rises it is the other way round. So an end is
/// certified as far as `excess` is: whoever needs excess <= 0 takes the upper end of what falls, the lower of what
/// rises. Both ends are the same point where `excess` is 0 there; and where it has one sign throughout: then the
/// end of the range at which it is nearer to 0, which may be of either sign.
/// @param excess  monotone but for rounding, never NaN; infinite values do no harm
/// @param lower   the ends of the range, evaluated, or bounded away from 0 on the right side
/// @param is_close  when to stop: as RootPrecision, any function of the two ends
/// @param most_evaluations  besides the two ends: a bracket is handed back even if that is not enough
/// Source: Alefeld, Potra, Shi 1995 (TOMS 748), by Boost.Math.
template <class Excess, class IsClose = RootPrecision>
Bracket certified_root(const Excess& excess, Evaluated lower, Evaluated upper, const IsClose& is_close = {},
                       std::uintmax_t most_evaluations = most_root_evaluations) {
  const auto finite = [](double value) {
    constexpr double largest = 1e100;  // the solver forms differences, and quotients with those of close points
    return std::clamp(value, -largest, largest);
  };
  lower.value = finite(lower.value);
  upper.value = finite(upper.value);
  const bool crosses = (lower.value < 0 && upper.value > 0) || (lower.value > 0 && upper.value < 0);
  if (!crosses) {
    const double nearest = std::abs(lower.value) <= std::abs(upper.value) ? lower.at : upper.at;
    return {nearest, nearest};
  }
  const auto [left, right] =
      boost::math::tools::toms748_solve([&](double at) { return finite(excess(at)); }, lower.at, upper.at, lower.value,
                                        upper.value, is_close, most_evaluations);
  return {left, right};
}

/// The same, which evaluates the ends itself.
template <class Excess, class IsClose = RootPrecision>
Bracket certified_root(const Excess& excess, double lower, double upper, const IsClose& is_close = {},
                       std::uintmax_t most_evaluations = most_root_evaluations) {
  return certified_root(excess, Evaluated{lower, excess(lower)}, Evaluated{upper, excess(upper)}, is_close,
                        most_evaluations);
}

/// A range, evaluated at its ends.
struct EvaluatedRange {
  Evaluated lower;
  Evaluated upper;
};

/// The same for such a range.
template <class Excess, class IsClose = RootPrecision>
Bracket certified_root(const Excess& excess, const EvaluatedRange& range, const IsClose& is_close = {},
                       std::uintmax_t most_evaluations = most_root_evaluations) {
  return certified_root(excess, range.lower, range.upper, is_close, most_evaluations);
}

/// Steps outwards from a guess.
struct Steps {
  double first;       ///< positive
  double growth = 2;  ///< of each step against the one before
};

/// A range around a guess in which `falling` falls through 0, or which ends at one of the limits: found by steps from
/// the guess towards the root, the last of which is the range.
/// @param falling  excess as above, of a function that falls
/// @param limits   evaluated only when they are reached
template <class Falling>
EvaluatedRange range_around(const Falling& falling, double guess, Steps steps, const Bracket& limits) {
  const Evaluated start{guess, falling(guess)};
  EvaluatedRange range{start, start};
  double step = steps.first;
  while (range.lower.value <= 0 && range.lower.at > limits.lower) {
    range.upper = range.lower;
    const double at = std::max(limits.lower, range.lower.at - step);
    range.lower = {at, falling(at)};
    step *= steps.growth;
  }
  while (range.upper.value > 0 && range.upper.at < limits.upper) {
    range.lower = range.upper;
    const double at = std::min(limits.upper, range.upper.at + step);
    range.upper = {at, falling(at)};
    step *= steps.growth;
  }
  return range;
}

}  // namespace dpbudget::numeric
