#include "dpbudget/accounting/shuffle/responses/response_sum.h"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {
namespace {

using numeric::unit;

// Of one operation, with room to spare.
constexpr double step_error = 0x1p-51;

// Below e^-`known` nothing is left of what was not known of a ratio.
constexpr double known = 40;

// Numbers of ones outside are rarer than e^-`depth`.
struct Window {
  double first;
  double last;
  double run_in;  // numbers before either end that are enough for the ratio of two masses to become known
  double depth;
};

// At least this many times e^-1 as rare is a sum of `users` independent bits that is as far from its mean as `sum`:
// Hoeffding 1963, Theorem 1.
double chernoff_depth(double sum, double mean, double users) {
  const auto deviance = [](double x, double expected) {
    if (x == 0) return expected;
    const double relative = (expected - x) / x;
    if (std::abs(relative) < 0.5) return -x * boost::math::log1pmx(relative);
    return x * std::log(x / expected) + (expected - x);
  };
  return (deviance(sum, mean) + deviance(users - sum, users - mean)) * (1 - 0x1p-30);
}

// The number closest to the mean, from `far` on towards it, that is still rare enough; `far` itself is.
double nearest_rare(double far, double mean, double users, double depth) {
  double near = far < mean ? std::floor(mean) : std::ceil(mean);
  while (std::abs(near - far) > 1) {
    const double middle = std::trunc(std::midpoint(near, far));
    (chernoff_depth(middle, mean, users) >= depth ? far : near) = middle;
  }
  return far;
}

// By Bernstein's inequality, which knows the variance, and by Chernoff's, which is closer where one side is rare.
Window window_of(double local_epsilon, const OtherBits& others, double log_least) {
  const double n = others.users();
  const double likely = 1 / (1 + std::exp(-local_epsilon));
  const double unlikely = 1 / (1 + std::exp(local_epsilon));
  const double mean = others.ones * likely + others.zeros * unlikely;
  const double depth = 14 - log_least;
  const double half = depth / 3 + std::sqrt(depth * depth / 9 + 2 * depth * n * likely * unlikely) + 3;
  const double first = std::max(0.0, std::floor(mean - half));
  const double last = std::min(n, std::ceil(mean + half));
  return {nearest_rare(first, mean, n, depth), nearest_rare(last, mean, n, depth), std::ceil(0.75 * half), depth};
}

// by f(next) = drift f(here) + number f(before), all terms at least 0; the drift is off by at most `drift_error`.
struct Step {
  double drift;
  double drift_error;
  double number;
  double by;
};

// Masses of two numbers next to each other, in any unit, by steps away from the second one.
struct Neighbours {
  double before;
  double here;

  void advance(const Step& step) {
    const double share = 1 / step.by;
    const double next = step.drift * share * here + step.number * share * before;
    before = here;
    here = next;
  }
  double ratio() const { return here / before; }
  void scale(double by) {
    before *= by;
    here *= by;
  }
};

// Masses that are smaller by this when the largest are beyond `large` are rarer than e^-600, which is far less than
// what the window leaves out.
constexpr double large = 0x1p900;
constexpr double smaller = 0x1p-900;

// What is known of the ratio of two masses next to each other, before the window, where they rise: at first that it is
// between 1 and infinity.
class RunIn {
 public:
  // @param has_begun  whether there are numbers before
  explicit RunIn(bool has_begun) : least_{has_begun ? 1.0 : 0.0, 1} {}

  // accounting/shuffle/proofs.md, 6.6
  void advance(const Step& step) {
    least_.advance(step);
    most_.advance(step);
    error_ += 2 * (step_error + step.drift_error / step.drift);
    if (!(std::max(least_.here, most_.here) > large)) return;
    least_.scale(smaller);
    most_.scale(smaller);
  }
  // Of the second to the first.
  double ratio() const { return least_.ratio(); }
  double error() const {
    const double one = least_.ratio();
    const double other = most_.ratio();
    const double least = std::min(one, other);
    return (one != other ? std::abs(one - other) / least : 0) + 2 * error_ + step_error;
  }

 private:
  Neighbours least_;
  Neighbours most_{0, 1};
  double error_ = 0;
};

// What a sweep from one end of the window finds, all in one unit.
class Swept {
 public:
  Swept() : masses_{1} {}

  // @param numbers  that it goes on by
  // @param step_of  from the one that is so far from the end
  // accounting/shuffle/proofs.md, 6.6
  template <class StepOf>
  Swept(const RunIn& start, std::size_t numbers, const StepOf& step_of) : masses_(numbers + 1), error_(start.error()) {
    Neighbours here{1 / start.ratio(), 1};
    double sum = 1;
    double error = 0;
    masses_.front() = 1;
    for (std::size_t i = 0; i < numbers; ++i) {
      const Step step = step_of(i);
      here.advance(step);
      error += step_error + step.drift_error * here.before / (step.by * here.here);
      masses_[i + 1] = here.here;
      sum += here.here;
      if (!(here.here > large)) continue;
      here.scale(smaller);
      sum *= smaller;
      for (std::size_t known = 0; known <= i + 1; ++known) masses_[known] *= smaller;
    }
    sum_ = sum;
    error_ += 2 * error;
  }

  // Of one number after the other, from the window's end on.
  const std::vector<double>& masses() const { return masses_; }
  double sum() const { return sum_; }      // of them
  double error() const { return error_; }  // of the logarithm of any of them

 private:
  std::vector<double> masses_;
  double sum_ = 1;
  double error_ = 0;
};

// The law f of the number of ones, of m ones and n - m zeros, obeys, with odds e^+-epsilon_0, w their sum and
// c = m e^epsilon_0 + (n - m) e^-epsilon_0,
//   (k + 1) f(k + 1) = (c - w k) f(k) + (n - k + 1) f(k - 1).
// Below c / w it is used upwards and above it downwards, where it adds positive terms and forgets where it began.
// accounting/shuffle/proofs.md, 6.6
class Law {
 public:
  Law(double local_epsilon, const OtherBits& others, const Window& window)
      : users_(others.users()),
        odds_(std::exp(local_epsilon)),
        rare_odds_(1 / odds_),
        others_(others),
        window_(window),
        meeting_(std::clamp(std::floor((others.ones * odds_ + others.zeros / odds_) / (odds_ + 1 / odds_)),
                            window.first, window.last)) {}

  Swept upwards() const {
    if (window_.first == meeting_) return {};
    double k = std::max(0.0, window_.first - run_in(up_from(window_.first)));
    RunIn start(k > 0);
    for (; k < window_.first; ++k) start.advance(up_from(k));
    return {start, to_integer<std::size_t>(meeting_ - k, "numbers"),
            [&](std::size_t i) { return up_from(k + static_cast<double>(i)); }};
  }

  Swept downwards() const {
    if (window_.last == meeting_) return {};
    double k = std::min(users_, window_.last + run_in(down_from(window_.last)));
    RunIn start(k < users_);
    for (; k > window_.last; --k) start.advance(down_from(k));
    return {start, to_integer<std::size_t>(k - meeting_, "numbers"),
            [&](std::size_t i) { return down_from(k - static_cast<double>(i)); }};
  }

 private:
  Step up_from(double k) const { return {std::max(0.0, -drift(k)), drift_error(k), users_ - k + 1, k + 1}; }
  Step down_from(double k) const { return {std::max(0.0, drift(k)), drift_error(k), k + 1, users_ - k + 1}; }

  // Numbers over which the ratio becomes known: at each, what was not is multiplied by the second term's share, which
  // is larger at the window's end than farther out.
  double run_in(const Step& at_end) const {
    const double half = at_end.drift / at_end.by / 2;
    const double ratio = half + std::sqrt(half * half + at_end.number / at_end.by);
    const double share = at_end.number / (at_end.by * ratio * ratio);
    return std::clamp(std::ceil(known / -std::log(share)), 1.0, window_.run_in);
  }

  // w k - c, so that it keeps its digits where m and n - m are near k.
  double drift(double k) const { return (k - others_.ones) * odds_ + (k - others_.zeros) * rare_odds_; }
  double drift_error(double k) const {
    return step_error * 4 * (std::abs(k - others_.ones) * odds_ + std::abs(k - others_.zeros) * rare_odds_);
  }

  double users_;
  double odds_;
  double rare_odds_;
  OtherBits others_;
  Window window_;
  double meeting_;
};

// Beside one of the largest masses: those that few digits may be left of.
constexpr double vanishing = 0x1p-900;

// (f(k - 1) - threshold f(k))_+ summed over numbers that are added from the largest down, for one threshold after
// another. The ratio falls with the number, so once it is no larger than the threshold no further term is positive, and
// what is there grows by the masses times what the threshold is lowered by: all terms are positive.
// accounting/shuffle/proofs.md, 6.1 and 6.6
class Excesses {
 public:
  // In the order of the epsilons, the last of which has the largest threshold.
  // @param least  of smaller masses nothing is subtracted
  Excesses(std::span<const double> thresholds, double beyond, double least)
      : thresholds_(thresholds),
        found_(thresholds_.size()),
        left_(thresholds_.size()),
        excess_(beyond),
        least_(least) {}

  bool is_finished() const { return left_ == 0; }

  // A number's mass, and at most that of the number below.
  void add(double mass, double below) {
    if (mass < least_) {
      excess_ += below;
      return;
    }
    while (!is_finished() && below <= threshold() * mass) settle();
    if (is_finished()) return;
    excess_ += below - threshold() * mass;
    masses_ += mass;
  }

  std::vector<double> finish() {
    while (!is_finished()) settle();
    return std::move(found_);
  }

 private:
  double threshold() const { return thresholds_[left_ - 1]; }

  void settle() {
    const double settled = threshold();
    found_[--left_] = excess_;
    if (!is_finished()) excess_ += masses_ * (settled - threshold());
  }

  std::span<const double> thresholds_;
  std::vector<double> found_;
  std::size_t left_;
  double excess_;
  double least_;
  double masses_ = 0;
};

// With q - e^epsilon p and e^epsilon q - p for the odds q : p = e^epsilon_0 the divergence's terms are
// (q - e^epsilon p) (f(k - 1) - threshold f(k))_+. Rounded down, and never above the next epsilon's.
std::vector<double> thresholds_of(double local_epsilon, std::span<const double> epsilons) {
  std::vector<double> thresholds(epsilons.size());
  double next = infinity;
  for (std::size_t i = epsilons.size(); i-- > 0;) {
    const double threshold =
        std::expm1(epsilons[i] + local_epsilon) / (std::exp(epsilons[i]) * std::expm1(local_epsilon - epsilons[i]));
    next = thresholds[i] = std::min(next, threshold * (1 - 8 * unit));
  }
  return thresholds;
}

double log_factor_of(double local_epsilon, double epsilon) {
  return epsilon + std::log(std::expm1(local_epsilon - epsilon)) - local_epsilon - std::log1p(std::exp(-local_epsilon));
}

}  // namespace

ResponseThresholds::ResponseThresholds(double local_epsilon, std::span<const double> epsilons)
    : local_epsilon_(local_epsilon), thresholds_(thresholds_of(local_epsilon, epsilons)) {
  log_factors_.reserve(epsilons.size());
  for (const double epsilon : epsilons) log_factors_.push_back(log_factor_of(local_epsilon, epsilon));
}

double response_sum_steps(double local_epsilon, const OtherBits& others, double log_least) {
  const Window window = window_of(local_epsilon, others, log_least);
  return window.last - window.first + 2 * window.run_in;
}

std::vector<double> response_sum_log_deltas(const ResponseThresholds& at, const OtherBits& others, double log_least) {
  const Window window = window_of(at.local_epsilon(), others, log_least);
  const Law law(at.local_epsilon(), others, window);
  const Swept below = law.upwards();
  const Swept above = law.downwards();
  const std::size_t number = at.log_factors().size();
  const std::vector<double>& up = below.masses();
  const std::vector<double>& down = above.masses();
  const double scale = up.back() / down.back();
  // What is known of masses is that of two of them.
  const double error_of_masses = 4 * (below.error() + above.error());
  if (!std::isnormal(scale) || !(error_of_masses < 1)) return std::vector<double>(number, 0.0);
  // n ones become n + 1.
  const double beyond = window.last == others.users() ? scale * down.front() : 0;
  Excesses excesses(at.thresholds(), beyond, vanishing * up.back());
  // By what two masses may be off.
  const double raised_above = scale * (1 + 3 * above.error() + step_error);
  for (std::size_t i = 0; i + 1 < down.size() && !excesses.is_finished(); ++i)
    excesses.add(scale * down[i], raised_above * down[i + 1]);
  const double raised_below = 1 + 3 * below.error() + step_error;
  for (std::size_t i = up.size(); i-- > 1 && !excesses.is_finished();) excesses.add(up[i], raised_below * up[i - 1]);
  const double sum = below.sum() + scale * (above.sum() - down.back());
  const double steps = 2 * (window.last - window.first + static_cast<double>(number)) + 8;
  const double raised = std::exp(error_of_masses + steps * step_error) * (1 + unit) / sum;
  const double outside = std::exp(-window.depth) * (1 + unit * (1 + window.depth));

  std::vector<double> log_deltas = excesses.finish();
  for (std::size_t i = 0; i < number; ++i) {
    const double log_factor = at.log_factors()[i];
    const double log_sum = std::log(log_deltas[i] * raised + outside);
    // 0 as well where sums overflow.
    log_deltas[i] = std::min(0.0, log_factor + log_sum + unit * (16 + std::abs(log_factor) + std::abs(log_sum)));
  }
  return log_deltas;
}

double response_sum_log_delta(double local_epsilon, const OtherBits& others, double epsilon, double log_least) {
  return response_sum_log_deltas({local_epsilon, std::span(&epsilon, 1)}, others, log_least).front();
}

}  // namespace dpbudget::shuffle
