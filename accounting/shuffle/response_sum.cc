#include "dpbudget/accounting/shuffle/response_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dpbudget/accounting/renyi/rounding.h"

namespace dpbudget::shuffle {
namespace {

using renyi::unit;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Of one operation, with room to spare.
constexpr double step_error = 0x1p-51;

// Numbers of ones outside are rarer than e^-`depth`, by Bernstein's inequality.
struct Window {
  double first;
  double last;
  double run_in;  // numbers before either end, over which the ratio of two masses becomes known
  double depth;
};

Window window_of(double local_epsilon, const OtherBits& others, double log_least) {
  const double n = others.users();
  const double likely = 1 / (1 + std::exp(-local_epsilon));
  const double unlikely = 1 / (1 + std::exp(local_epsilon));
  const double mean = others.ones * likely + others.zeros * unlikely;
  const double depth = 14 - log_least;
  const double half = depth / 3 + std::sqrt(depth * depth / 9 + 2 * depth * n * likely * unlikely) + 3;
  return {std::max(0.0, std::floor(mean - half)), std::min(n, std::ceil(mean + half)), std::ceil(0.75 * half), depth};
}

// The ratio of two masses next to each other, between two proven bounds.
struct Ratio {
  double least;
  double most;

  // (drift +- drift_error + number / before) / by, all terms at least 0.
  Ratio next(double drift, double drift_error, double number, double by) const {
    return {std::max(0.0, (drift - drift_error + number / most) / by) * (1 - step_error),
            (drift + drift_error + number / least) / by * (1 + step_error)};
  }
  double middle() const { return std::midpoint(least, most); }
  double error() const { return (most - least) / least + step_error; }
};

// What a sweep from one end of the window finds, relative to the mass at that end.
struct Swept {
  double at;      // the mass of the number it ends at
  double sum;     // of all masses
  double excess;  // of mass (ratio - threshold)_+, the ratio being that of the mass one below to this one: at most
  double error;   // relative, of any of them
};

// The law f of the number of ones, of m ones and n - m zeros, obeys, with odds e^+-epsilon_0, w their sum and
// c = m e^epsilon_0 + (n - m) e^-epsilon_0,
//   (k + 1) f(k + 1) = (c - w k) f(k) + (n - k + 1) f(k - 1).
// Below c / w it is used upwards and above it downwards, where it adds positive terms and forgets where it began.
class Law {
 public:
  Law(double local_epsilon, const OtherBits& others, const Window& window)
      : users_(others.users()),
        odds_(std::exp(local_epsilon)),
        others_(others),
        window_(window),
        meeting_(std::clamp(std::floor((others.ones * odds_ + others.zeros / odds_) / (odds_ + 1 / odds_)),
                            window.first, window.last)) {}

  Swept upwards(double threshold) const {
    double k = std::max(0.0, window_.first - window_.run_in);
    // Masses rise towards the mode; there are none below 0.
    Ratio up{k == 0 ? infinity : 1, infinity};
    const auto advance = [&] {
      up = up.next(std::max(0.0, -drift(k)), drift_error(k), users_ - k + 1, k + 1);
      ++k;
    };
    while (k < window_.first) advance();
    Swept swept{1, 1, 0, 0};
    while (k < meeting_) {
      advance();
      swept.at *= up.middle();
      swept.sum += swept.at;
      swept.error += up.error();
      swept.excess += swept.at * std::max(0.0, (1 + step_error) / up.least - threshold);
    }
    return swept;
  }

  Swept downwards(double threshold) const {
    double k = std::min(users_, window_.last + window_.run_in);
    Ratio down{k == users_ ? infinity : 1, infinity};
    const auto advance = [&] {
      down = down.next(std::max(0.0, drift(k)), drift_error(k), k + 1, users_ - k + 1);
      --k;
    };
    while (k > window_.last) advance();
    Swept swept{1, 1, 0, 0};
    while (k > meeting_) {
      advance();
      swept.excess += swept.at * std::max(0.0, down.most - threshold);
      swept.at *= down.middle();
      swept.sum += swept.at;
      swept.error += down.error();
    }
    return swept;
  }

 private:
  // w k - c, so that it keeps its digits where m and n - m are near k.
  double drift(double k) const { return (k - others_.ones) * odds_ + (k - others_.zeros) / odds_; }
  double drift_error(double k) const {
    return step_error * 4 * (std::abs(k - others_.ones) * odds_ + std::abs(k - others_.zeros) / odds_);
  }

  double users_;
  double odds_;
  OtherBits others_;
  Window window_;
  double meeting_;
};

}  // namespace

double response_sum_steps(double local_epsilon, const OtherBits& others, double log_least) {
  const Window window = window_of(local_epsilon, others, log_least);
  return window.last - window.first + 2 * window.run_in;
}

double response_sum_log_delta(double local_epsilon, const OtherBits& others, double epsilon, double log_least) {
  // With q - e^epsilon p and e^epsilon q - p for the odds q : p = e^epsilon_0 the terms are
  // (q - e^epsilon p) (f(k - 1) - threshold f(k))_+.
  const double threshold =
      std::expm1(epsilon + local_epsilon) / (std::exp(epsilon) * std::expm1(local_epsilon - epsilon));
  const double safe_threshold = threshold * (1 - 8 * unit);
  const double log_factor =
      epsilon + std::log(std::expm1(local_epsilon - epsilon)) - local_epsilon - std::log1p(std::exp(-local_epsilon));

  const Window window = window_of(local_epsilon, others, log_least);
  const Law law(local_epsilon, others, window);
  const Swept below = law.upwards(safe_threshold);
  const Swept above = law.downwards(safe_threshold);
  const double scale = below.at / above.at;
  double excess = below.excess + scale * above.excess;
  if (window.last == others.users()) excess += scale;  // n ones become n + 1
  const double sum = below.sum + scale * (above.sum - above.at);
  const double steps = window.last - window.first + 8;
  const double error = 2 * (below.error + above.error) + steps * step_error;
  const double log_excess = std::log(excess / sum) + error;
  const double log_outside = -window.depth;
  const double large = std::max(log_excess, log_outside);
  const double log_sum = large + std::log1p(std::exp(std::min(log_excess, log_outside) - large));
  // 0 as well where a window is too wide for doubles.
  return std::min(0.0, log_factor + log_sum + unit * (16 + std::abs(log_factor) + std::abs(log_sum)));
}

}  // namespace dpbudget::shuffle
