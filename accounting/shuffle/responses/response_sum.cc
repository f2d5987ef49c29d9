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

  double steps() const { return last - first + 2 * run_in; }
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

// Where sweeps from both ends of the window meet, and how they get there. Below c / w (mass_sweeps.cc) masses are found
// upwards, above it downwards.
// accounting/shuffle/proofs.md, 6.6
class Sweeps {
 public:
  Sweeps(double local_epsilon, const OtherBits& others, const Window& window)
      : others_(others), window_(window), odds_(std::exp(local_epsilon)) {
    const double users = others.users();
    meeting_ = std::clamp(std::floor((others.ones * odds_ + others.zeros / odds_) / (odds_ + 1 / odds_)), window.first,
                          window.last);
    up_ = from(others.ones, others.zeros, window.first, meeting_ - window.first);
    down_ = from(others.zeros, others.ones, users - window.last, window.last - meeting_);
  }

  const MassSweep& up() const { return up_; }
  const MassSweep& down() const { return down_; }

 private:
  MassSweep from(double ones, double zeros, double first, double numbers) const {
    return {ones, zeros, std::max(0.0, first - run_in(ones, zeros, first)), first,
            to_integer<std::size_t>(numbers, "numbers")};
  }

  // Numbers over which the ratio becomes known: at each, what was not is multiplied by the second term's share, which
  // is larger at the window's end than farther out.
  double run_in(double ones, double zeros, double first) const {
    const double drift = std::max(0.0, (ones - first) * odds_ + (zeros - first) / odds_);
    const double by = first + 1;
    const double number = ones + zeros - first + 1;
    const double half = drift / by / 2;
    const double ratio = half + std::sqrt(half * half + number / by);
    const double share = number / (by * ratio * ratio);
    return std::clamp(std::ceil(known / -std::log(share)), 1.0, window_.run_in);
  }

  OtherBits others_;
  Window window_;
  double odds_;
  double meeting_;
  MassSweep up_;
  MassSweep down_;
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

// Of what the window's masses, from below and from above, say.
std::vector<double> log_deltas_of(std::span<const double> thresholds, std::span<const double> log_factors,
                                  const OtherBits& others, const Window& window, const SweptMasses& up,
                                  const SweptMasses& down) {
  const std::size_t number = log_factors.size();
  const double meeting = up[up.size() - 1];
  const double scale = meeting / down[down.size() - 1];
  // What is known of masses is that of two of them.
  const double error_of_masses = 4 * (up.error() + down.error());
  if (!std::isnormal(scale) || !(error_of_masses < 1)) return std::vector<double>(number, 0.0);
  // n ones become n + 1.
  const double beyond = window.last == others.users() ? scale * down[0] : 0;
  Excesses excesses(thresholds, beyond, vanishing * meeting);
  // By what two masses may be off.
  const double raised_above = scale * (1 + 3 * down.error() + step_error);
  for (std::size_t i = 0; i + 1 < down.size() && !excesses.is_finished(); ++i)
    excesses.add(scale * down[i], raised_above * down[i + 1]);
  const double raised_below = 1 + 3 * up.error() + step_error;
  for (std::size_t i = up.size(); i-- > 1 && !excesses.is_finished();) excesses.add(up[i], raised_below * up[i - 1]);
  const double sum = up.sum() + scale * (down.sum() - down[down.size() - 1]);
  const double steps = 2 * (window.last - window.first + static_cast<double>(number)) + 8;
  const double raised = std::exp(error_of_masses + steps * step_error) * (1 + unit) / sum;
  const double outside = std::exp(-window.depth) * (1 + unit * (1 + window.depth));

  std::vector<double> log_deltas = excesses.finish();
  for (std::size_t i = 0; i < number; ++i) {
    const double log_factor = log_factors[i];
    const double log_sum = std::log(log_deltas[i] * raised + outside);
    // 0 as well where sums overflow.
    log_deltas[i] = std::min(0.0, log_factor + log_sum + unit * (16 + std::abs(log_factor) + std::abs(log_sum)));
  }
  return log_deltas;
}

}  // namespace

ResponseSums::ResponseSums(double local_epsilon, std::span<const double> epsilons)
    : local_epsilon_(local_epsilon), thresholds_(thresholds_of(local_epsilon, epsilons)) {
  log_factors_.reserve(epsilons.size());
  for (const double epsilon : epsilons) log_factors_.push_back(log_factor_of(local_epsilon, epsilon));
}

double response_sum_steps(double local_epsilon, const OtherBits& others, double log_least) {
  return window_of(local_epsilon, others, log_least).steps();
}

std::vector<std::vector<double>> ResponseSums::log_deltas(std::span<const OtherBits> others, double log_least) {
  std::vector<Window> windows;
  std::vector<MassSweep> sweeps;
  for (const OtherBits& bits : others) {
    windows.push_back(window_of(local_epsilon_, bits, log_least));
    const Sweeps both(local_epsilon_, bits, windows.back());
    sweeps.push_back(both.up());
    sweeps.push_back(both.down());
    steps_ += windows.back().steps();
  }
  const std::span<const SweptMasses> swept = sweeps_.run(local_epsilon_, sweeps);
  std::vector<std::vector<double>> found;
  for (std::size_t i = 0; i < others.size(); ++i)
    found.push_back(log_deltas_of(thresholds_, log_factors_, others[i], windows[i], swept[2 * i], swept[2 * i + 1]));
  return found;
}

double response_sum_log_delta(double local_epsilon, const OtherBits& others, double epsilon, double log_least) {
  return ResponseSums(local_epsilon, std::span(&epsilon, 1))
      .log_deltas(std::span(&others, 1), log_least)
      .front()
      .front();
}

}  // namespace dpbudget::shuffle
