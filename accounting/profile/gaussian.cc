#include "dpbudget/accounting/profile/gaussian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::profile {

using numeric::log_root_two_pi;
using numeric::mills_ratio;
using numeric::tail_point;
using numeric::upper_tail;
namespace {

using numeric::unit;

// M(c - d) - M(c + d) for Mills' ratio M, c >= 0, 0 < d <= 1/2: 2 sum of J_n d^n over odd n, J_n = (-1)^n M^(n)(c) /
// n!. All terms are positive. J_(n-1) = c J_n + (n+1) J_(n+1) loses digits when it is run upwards from c = 2 on; there
// the ratios J_n / J_(n-1) are run downwards.
double mills_difference(double c, double d) {
  constexpr int terms = 25;
  double sum = 0;
  double power = d;
  if (c < 2) {
    double before = mills_ratio(c);
    double here = 1 - c * before;
    for (int n = 1; n <= terms; ++n) {
      if (n % 2 == 1) sum += here * power;
      power *= d;
      const double next = (before - c * here) / (n + 1);
      before = here;
      here = next;
    }
    return 2 * sum;
  }
  std::array<double, terms + 1> ratios{};
  double ratio = 0;
  for (int n = terms + 8 + to_integer<int>(450 / (c * c), "terms"); n >= 0; --n) {
    ratio = 1 / (c + (n + 1) * ratio);  // J_n / J_(n-1); J_0 itself for n = 0
    if (n <= terms) ratios[n] = ratio;
  }
  double coefficient = ratios[0];
  for (int n = 1; n <= terms; ++n) {
    coefficient *= ratios[n];
    if (n % 2 == 1) sum += coefficient * power;
    power *= d;
  }
  return 2 * sum;
}

// The quantities of the closed form at one epsilon >= 0.
struct Point {
  double middle;  // epsilon s
  double mu;      // 1 / s
  double x() const { return middle - mu / 2; }
  double y() const { return middle + mu / 2; }
};

Point point_at(double epsilon, double noise_multiplier) { return {epsilon * noise_multiplier, 1 / noise_multiplier}; }

double log_density(double x) { return -x * x / 2 - log_root_two_pi; }

// e^epsilon times the density at y is the density at x, hence delta = density(x) (M(x) - M(y)).
double log_delta(const Point& at) {
  const double x = at.x();
  if (at.mu <= 1) return log_density(x) + std::log(mills_difference(at.middle, at.mu / 2));
  if (x > 0) return log_density(x) + std::log(mills_ratio(x) - mills_ratio(at.y()));
  return std::log(upper_tail(x) - std::exp(log_density(x)) * mills_ratio(at.y()));
}

// The rounding of x counts by the slope of log delta, at most 1 + x; Mills' ratios lose a factor 1 + x at most when
// they are subtracted.
double log_delta_error(const Point& at) {
  const double x = std::max(at.x(), 0.0);
  return unit * (64 + 8 * x + x * x + (1 + x) * (at.middle + at.mu));
}

// -d log delta / d epsilon.
double slope(const Point& at) { return std::exp(log_density(at.x()) + std::log(mills_ratio(at.y())) - log_delta(at)); }

}  // namespace

double gaussian_log_delta(double epsilon, double noise_multiplier) {
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  ranges::noise_multiplier(noise_multiplier);
  const double log_value = log_delta(point_at(std::abs(epsilon), noise_multiplier));
  return epsilon >= 0 ? log_value : std::log(-std::expm1(epsilon) + std::exp(epsilon + log_value));
}

double gaussian_log_delta_error(double epsilon, double noise_multiplier) {
  return log_delta_error(point_at(std::abs(epsilon), noise_multiplier));
}

double gaussian_epsilon(double noise_multiplier, double delta) {
  ranges::noise_multiplier(noise_multiplier);
  ranges::delta(delta);
  // delta(epsilon) is at most P(Z > x).
  const double high = (tail_point(delta) + 0.5 / noise_multiplier) / noise_multiplier;
  require(std::isfinite(high), "noise_multiplier", noise_multiplier, "large enough for a finite epsilon");
  const double target = std::log(delta);
  const auto excess = [&](double epsilon) { return log_delta(point_at(epsilon, noise_multiplier)) - target; };
  return numeric::certified_root(excess, 0.0, std::max(0.0, high)).middle();
}

double gaussian_noise_multiplier(double epsilon, double delta) {
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  require(epsilon <= 1e12, "epsilon", epsilon, "at most 1e12");
  require(delta >= 1e-307, "delta", delta, "at least 1e-307, for a noise that a double can hold");
  const double target = std::log(delta);
  const auto excess = [&](double log_noise) { return log_delta(point_at(epsilon, std::exp(log_noise))) - target; };
  // delta(epsilon) <= delta(0) <= 1 / (s sqrt(2 pi)).
  const double high = -target - log_root_two_pi + 1e-9;
  constexpr double least = -700;  // a double's
  const auto range = numeric::range_around(excess, std::min(high, 0.0), {1}, {least, high});
  return std::exp(numeric::certified_root(excess, range).middle());
}

numeric::Bracket gaussian_log_delta_bound(double noise_multiplier, double epsilon) {
  ranges::epsilon(epsilon);
  ranges::noise_multiplier(noise_multiplier);
  const Point at = point_at(epsilon, noise_multiplier);
  return {log_delta(at) - log_delta_error(at), std::min(0.0, log_delta(at) + log_delta_error(at))};
}

numeric::Bracket gaussian_epsilon_bound(double noise_multiplier, double delta) {
  const double solution = gaussian_epsilon(noise_multiplier, delta);
  const double target = std::log(delta);
  const double target_error = unit * std::abs(target);
  const Point at = point_at(solution, noise_multiplier);
  // By how much an error of log delta moves epsilon, to begin with; then twice that until the bracket is certain.
  const double first_step = (log_delta_error(at) + target_error) / slope(at) + unit * solution;

  numeric::Bracket bound{solution, solution};
  const auto log_delta_at = [&](double epsilon) { return gaussian_log_delta_bound(noise_multiplier, epsilon); };
  for (double step = first_step;
       std::isfinite(bound.upper) && !(log_delta_at(bound.upper).upper <= target - target_error); step *= 2)
    bound.upper = solution + step;
  for (double step = first_step; bound.lower > 0 && !(log_delta_at(bound.lower).lower >= target + target_error);
       step *= 2)
    bound.lower = std::max(0.0, solution - step);
  return bound;
}

}  // namespace dpbudget::profile
