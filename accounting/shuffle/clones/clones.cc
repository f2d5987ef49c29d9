#include "dpbudget/accounting/shuffle/clones/clones.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tanh_half.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"

namespace dpbudget::shuffle {

using numeric::one_less_tanh_half;
using numeric::tanh_half;
namespace {

using numeric::unit;

// Epsilons are wanted to 1e-4.
constexpr Width bound_width{8e-5};

}  // namespace

Level ClonePair::level(double epsilon) const {
  if (epsilon >= local_epsilon) return {1, 0, 0};
  // 1 - tanh a / tanh b = sinh(b - a) / (cosh a sinh b).
  const double a = epsilon / 2;
  const double b = local_epsilon / 2;
  const double below_one = -std::expm1(-2 * (b - a)) / (-std::expm1(-2 * b)) * 2 / (1 + std::exp(2 * a));
  const double value = tanh_half(epsilon) / tanh_half(local_epsilon);
  return {value, below_one, unit * std::min(value, below_one)};
}

Stride stride_of(const ClonePair& pair, Width width, double terms) {
  // Numbers of clones within 8 deviations on either side.
  const double cost = 16 * pair.count.deviation() * terms * std::sqrt(pair.count.mode() + 1);
  return [relative = width.relative, least = cost * 0x1p-28](double m) { return std::max(relative * m, least); };
}

// accounting/shuffle/proofs.md, 1.3
numeric::Bracket log_delta(const ClonePair& pair, double epsilon, Width width) {
  if (epsilon >= pair.local_epsilon) return {-infinity, -infinity};
  const Level level = pair.level(epsilon);
  const double negligible = std::max(0x1p-56, width.relative * 1e-3);
  const auto tail = [&](double m) { return log_sign_tail(m, level, negligible); };
  // The logarithm of the tail falls by about (3 + m level^2) / (2 m) a step, and log delta by at least about 1 + m
  // level^2 while epsilon doubles: so many steps cost as much as the width.
  // A tail takes some deviations, of half a root each.
  const Stride stride = stride_of(pair, width, 4);
  const numeric::Bracket mean = log_mean(pair.count, tail, stride, negligible);
  if (mean.upper == -infinity) return mean;
  // delta = share (1 + e^epsilon) tau E[(X - level)_+].
  const double log_factor =
      pair.log_share + epsilon + std::log1p(std::exp(-epsilon)) + std::log(tanh_half(pair.local_epsilon));
  const double error = unit * (8 + std::abs(log_factor) + epsilon);
  return {log_factor + mean.lower - error, std::min(0.0, log_factor + mean.upper + error)};
}

namespace {

// In v = -log(1 - level), epsilon's level below that of local_epsilon, log delta is nearly linear where the level is
// near 1, and smooth below.
class Places {
 public:
  explicit Places(double local_epsilon)
      : most_(local_epsilon), tau_(tanh_half(local_epsilon)), one_less_tau_(one_less_tanh_half(local_epsilon)) {}

  // Beyond it, epsilon is local_epsilon in double precision.
  double farthest() const { return 36 + most_; }

  double epsilon(double v) const {
    const double level = -std::expm1(-v);
    if (level < 0.5) return std::min(most_, 2 * std::atanh(tau_ * level));
    // atanh(tau level) = atanh(tau) less half the log of this ratio.
    const double below_one = std::exp(-v);
    const double fall = std::log1p(tau_ * below_one / one_less_tau_) - std::log1p(-tau_ * below_one / (1 + tau_));
    return std::max(0.0, most_ - fall);
  }

 private:
  double most_;
  double tau_;
  double one_less_tau_;
};

// Where log delta, evaluated to `width`, comes down to what is asked for.
class RootSearch {
 public:
  RootSearch(const ClonePair& pair, double log_delta, Width width)
      : pair_(pair),
        log_delta_(log_delta),
        width_(width),
        coarse_{std::max(width.relative, 1e-2)},
        places_(pair.local_epsilon) {}

  numeric::Bracket bracket() {
    if (excess(0, coarse_).upper <= 0) return {0, 0};
    if (excess(0, coarse_).middle() <= 0) coarse_ = width_;
    if (excess(0, coarse_).middle() <= 0) return {0, next_to_nothing()};
    const double high = beyond_root();
    if (high == places_.farthest() && (excess(below_most(), width_).upper > 0 || coarse_at(high) > 0))
      return next_to_most();
    return certified_near(numeric::certified_root([&](double v) { return coarse_at(v); }, 0.0, high,
                                                  numeric::RootPrecision{.relative = 1e-2}, 60));
  }

 private:
  double most() const { return pair_.local_epsilon; }
  double below_most() const { return std::nextafter(most(), 0); }

  numeric::Bracket excess(double epsilon, Width width) const {
    const numeric::Bracket found = shuffle::log_delta(pair_, epsilon, width);
    // Beyond every double on the far side of the root.
    return {std::max(found.lower, -1e300) - log_delta_, std::max(found.upper, -1e300) - log_delta_};
  }
  numeric::Bracket fine_at(double v) const { return excess(places_.epsilon(v), width_); }
  double coarse_at(double v) const { return excess(places_.epsilon(v), coarse_).middle(); }

  // Where all that is spent may be rounding.
  double next_to_nothing() const {
    double upper = excess(0, coarse_).upper <= 0 ? 0 : most() * 0x1p-52;
    while (upper > 0 && upper < most() && excess(upper, coarse_).upper > 0) upper = std::min(most(), 4 * upper);
    return upper;
  }

  // X is about normal with variance 1 / m. Far above the root lie divergences that take long to compute.
  double beyond_root() const {
    const double farthest = places_.farthest();
    double high = std::min(farthest, 2 * std::sqrt(-2 * log_delta_ / (pair_.count.mode() + 1)));
    while (high < farthest && coarse_at(high) > 0) high = std::min(farthest, 2 * high);
    return high;
  }

  numeric::Bracket next_to_most() const {
    double lower = below_most();
    for (double v = places_.farthest(); lower > 0 && excess(lower, width_).lower < 0; --v) lower = places_.epsilon(v);
    return {lower, excess(below_most(), width_).upper <= 0 ? below_most() : most()};
  }

  // Secant steps on the fine bracket, from the coarse root; each end is then moved outwards until it is certified.
  numeric::Bracket certified_near(const numeric::Bracket& near) const {
    const double wanted = std::max(width_.relative, 0x1p-44);
    double at = near.middle();
    numeric::Bracket here = fine_at(at);
    const double beside = at * (1 - 1e-3);
    double slope = (coarse_at(beside) - coarse_at(at)) / (beside - at);
    if (!(slope < 0)) slope = -1;
    for (int step = 0; step < 40; ++step) {
      const double next = std::clamp(at - here.middle() / slope, near.lower / 2, 2 * near.upper);
      const double epsilon = places_.epsilon(at);
      if (!(std::abs(places_.epsilon(next) - epsilon) > wanted * epsilon / 2)) break;
      const numeric::Bracket there = fine_at(next);
      if ((there.middle() < here.middle()) == (next > at)) slope = (there.middle() - here.middle()) / (next - at);
      at = next;
      here = there;
    }
    const auto certified = [&](double sign, double numeric::Bracket::* end) {
      const double root = at - here.*end / slope;
      for (double margin = wanted * at / 64;; margin *= 4) {
        const double candidate = places_.epsilon(std::max(0.0, root + sign * margin));
        if (candidate == (sign < 0 ? 0 : most())) return candidate;
        if (sign * (excess(candidate, width_).*end) <= 0) return candidate;
      }
    };
    return {certified(-1, &numeric::Bracket::lower), certified(1, &numeric::Bracket::upper)};
  }

  const ClonePair& pair_;
  double log_delta_;
  Width width_;
  Width coarse_;
  Places places_;
};

}  // namespace

// accounting/shuffle/proofs.md, 1.5
numeric::Bracket epsilon_bracket(const ClonePair& pair, double log_delta, Width width) {
  const double wanted = std::max(1.25 * width.relative, 0x1p-42);
  numeric::Bracket found = RootSearch(pair, log_delta, width).bracket();
  // delta has a kink at every outcome's loss, where secants go astray: then the rest is halved. Small epsilons move
  // with delta more than in proportion, and need a finer width.
  for (int step = 0; step < 80 && found.upper - found.lower > wanted * found.upper; ++step) {
    const double middle = std::midpoint(found.lower, found.upper);
    const numeric::Bracket here = shuffle::log_delta(pair, middle, width);
    if (here.upper <= log_delta) {
      found.upper = middle;
    } else if (here.lower >= log_delta) {
      found.lower = middle;
    } else if (width.relative > 1e-8) {
      width.relative /= 8;
    } else {
      break;
    }
  }
  return found;
}

ClonePair clones(double local_epsilon, double reports) {
  clone_ranges::local_epsilon(local_epsilon);
  clone_ranges::reports(reports);
  return {local_epsilon, CloneCount(reports - 1, -numeric::log_expm1(local_epsilon))};
}

double clones_log_delta(double local_epsilon, double reports, double epsilon) {
  const ClonePair pair = clones(local_epsilon, reports);
  dpbudget::ranges::epsilon(epsilon);
  return log_delta(pair, epsilon, {0}).middle();
}

double clones_epsilon(double local_epsilon, double reports, double delta) {
  const ClonePair pair = clones(local_epsilon, reports);
  dpbudget::ranges::delta(delta);
  const numeric::Bracket found = epsilon_bracket(pair, std::log(delta), {0});
  return std::midpoint(found.lower, found.upper);
}

Bound clones_bound(double local_epsilon, double reports, double delta) {
  const ClonePair pair = clones(local_epsilon, reports);
  dpbudget::ranges::delta(delta);
  const double log_delta = std::log(delta);
  const numeric::Bracket found = epsilon_bracket(pair, log_delta - unit * std::abs(log_delta), bound_width);
  return {.lower = 0,
          .upper = found.upper,
          .guarantee = Guarantee::proven,
          .theorems = {"clones: Feldman, McMillan, Talwar 2021, Theorem 3.2, summed exactly"},
          .notes = {},
          .accountant = {}};
}

}  // namespace dpbudget::shuffle
