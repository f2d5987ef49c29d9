#include "dpbudget/accounting/profile/normal_mixture.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::profile {

using numeric::log_add;
using numeric::log_upper_tail;
using numeric::unit;
namespace {

// A logarithm and by how much it may be off.
struct InLog {
  double value;
  double error;
};

InLog tail_in_log(double x) { return {log_upper_tail(x), unit * (4 + x * x)}; }

InLog sum_in_log(const InLog& a, const InLog& b) {
  const double value = log_add(a.value, b.value);
  return {value, std::max(a.error, b.error) + 4 * unit * (1 + std::abs(value))};
}

InLog times_in_log(double factor, const InLog& a) {
  const double value = std::log(factor) + a.value;
  return {value, a.error + unit * (4 + std::abs(std::log(factor)) + std::abs(value))};
}

// At least log of the difference.
double log_difference_up(const InLog& larger, const InLog& smaller) {
  const double above = larger.value + larger.error;
  const double apart = above - (smaller.value - smaller.error);
  if (!(apart > 0)) return -infinity;
  const double value = above + std::log(-std::expm1(-apart));
  return value + 16 * unit * (1 + std::abs(value) + std::abs(above) / apart);
}

class ShiftRatio {
 public:
  explicit ShiftRatio(const NormalMixture& mixture)
      : mixture_(mixture), error_(mixture.error + unit * (8 + static_cast<double>(mixture.shifts.size()))) {}

  // log of the mixture's density to that of N(0, 1).
  InLog at(double t) const {
    InLog found{mixture_.at_zero > 0 ? std::log(mixture_.at_zero) : -infinity, error_};
    for (const auto& [probability, mean] : mixture_.shifts) {
      const double exponent = mean * (t - mean / 2);
      found = sum_in_log(found, times_in_log(probability, {exponent, error_ + unit * mean * (std::abs(t) + mean)}));
    }
    return found;
  }

  // What is shifted has above t; or below it, where `sign` is -1.
  InLog shifted_beyond(double t, double sign) const {
    InLog found{-infinity, error_};
    for (const auto& [probability, mean] : mixture_.shifts) {
      InLog tail = tail_in_log(sign * (t - mean));
      tail.error += error_;
      found = sum_in_log(found, times_in_log(probability, tail));
    }
    return found;
  }

  // Above it and all that is below it is, but for rounding, all that there is.
  static constexpr double farthest = -64;

  // Two points near each other with losses on either side of `loss`; the first is `farthest` where the losses do not
  // tell, since what is not shifted is too likely.
  numeric::Bracket around(double loss) const {
    const auto highest = [&](double t) { return at(t).value + at(t).error - loss; };
    const auto lowest = [&](double t) { return at(t).value - at(t).error - loss; };
    double low = -1;
    double high = 1;
    while (low > farthest && highest(low) > 0) low *= 2;
    while (lowest(high) < 0) high *= 2;
    const numeric::RootPrecision near{.relative = 0x1p-48, .absolute = 0x1p-48};
    const double left = highest(low) > 0 ? low : numeric::certified_root(highest, low, high, near).lower;
    return {left, numeric::certified_root(lowest, low, high, near).upper};
  }

 private:
  const NormalMixture& mixture_;
  double error_;
};

}  // namespace

double normal_mixture_log_delta(const NormalMixture& mixture, double epsilon) {
  ranges::epsilon(epsilon);
  const ShiftRatio ratio(mixture);
  const double error = mixture.error + 8 * unit;
  // The mixture first: the best event is a half-line above a point, of which each tail is taken at its worse end.
  const auto [low, high] = ratio.around(epsilon);
  const double unshifted = std::expm1(epsilon) + (1 - mixture.at_zero);
  const double least_unshifted = unshifted - error * (1 + std::exp(epsilon));
  const InLog from_removing = ratio.shifted_beyond(low, 1);
  double log_delta = least_unshifted > 0 && epsilon < 600
                         ? log_difference_up(from_removing, times_in_log(least_unshifted, tail_in_log(high)))
                         : from_removing.value + from_removing.error;
  // N(0, 1) first: below a point, and only where the mixture may be that much rarer.
  const double kept = 1 - std::exp(epsilon) * mixture.at_zero;
  if (kept > 2 * error) {
    const auto [left, right] = ratio.around(-epsilon);
    InLog shifted = left > ShiftRatio::farthest ? ratio.shifted_beyond(left, -1) : InLog{-infinity, 0};
    shifted.value += epsilon;
    shifted.error += unit * (1 + std::abs(shifted.value));
    log_delta = std::max(log_delta,
                         log_difference_up(times_in_log(kept * (1 + 2 * error / kept), tail_in_log(-right)), shifted));
  } else if (kept > -2 * error) {
    log_delta = std::max(log_delta, std::log(4 * error));
  }
  return std::min(0.0, log_delta);
}

}  // namespace dpbudget::profile
