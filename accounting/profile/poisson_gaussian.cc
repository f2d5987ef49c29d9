#include "dpbudget/accounting/profile/poisson_gaussian.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::profile {

using numeric::log_root_two_pi;
namespace {

// -epsilon - log(1 - rate): how far `add` is from a delta of 0. Where that cancels, in quadruple precision.
double distance_to_zero(double rate, double epsilon) {
  const double distance = -epsilon - std::log1p(-rate);
  if (!(std::abs(distance) < 0.1 * std::abs(epsilon))) return distance;
  using Precise = boost::multiprecision::cpp_bin_float_quad;
  return static_cast<double>(-Precise(epsilon) - log1p(-Precise(rate)));
}

double remove_log_delta(double rate, double noise_multiplier, double epsilon) {
  const double inner = unmixed_loss(rate, epsilon);
  if (std::isinf(inner)) return std::log(-std::expm1(epsilon));
  return std::log(rate) + gaussian_log_delta(inner, noise_multiplier);
}

// (1 - g (1-q)) H(e'') with g = e^epsilon and e'' = log(g q / (1 - g (1-q))) = log(1 + (g - 1) / (1 - g (1-q))).
double add_log_delta(double rate, double noise_multiplier, double epsilon) {
  const double distance = distance_to_zero(rate, epsilon);
  if (!(distance > 0)) return -infinity;
  const double share = -std::expm1(-distance);
  const double change = std::expm1(epsilon) / share;
  const double inner = change > -0.5 ? std::log1p(change) : epsilon + std::log(rate) - std::log(share);
  return std::log(share) + gaussian_log_delta(inner, noise_multiplier);
}

// delta of several steps by delta_T(e) = E[delta_{T-1}(e - L)], over the noise variable t = noise / s - 1 / (2 s).
class Composition {
 public:
  Composition(double rate, double noise_multiplier, Direction direction)
      : rate_(rate), noise_(noise_multiplier), mean_(0.5 / noise_multiplier), direction_(direction) {}

  double log_delta(double epsilon, std::uint64_t steps) const {
    if (steps == 1) return poisson_gaussian_log_delta(rate_, noise_, epsilon, direction_);
    const auto log_integrand = [&](double t) {
      const double removed = profile::mixture_loss(rate_, t / noise_);
      const double log_q = -(t + mean_) * (t + mean_) / 2 - log_root_two_pi;
      return direction_ == Direction::remove ? log_q + removed + log_delta(epsilon - removed, steps - 1)
                                             : log_q + log_delta(epsilon + removed, steps - 1);
    };
    const std::vector<double> ends = panel_ends(direction_ == Direction::remove ? epsilon : -epsilon, steps);
    std::vector<double> logs(ends.size());
    std::ranges::transform(ends, logs.begin(), log_integrand);
    const double scale = *std::ranges::max_element(logs);
    if (std::isinf(scale)) return scale;
    const auto integrand = [&](double t) { return std::exp(log_integrand(t) - scale); };
    double sum = 0;
    for (std::size_t i = 1; i < ends.size(); ++i) {
      if (std::max(logs[i - 1], logs[i]) < scale - 42) continue;
      sum += boost::math::quadrature::gauss<double, 15>::integrate(integrand, ends[i - 1], ends[i]);
    }
    return scale + std::log(sum);
  }

 private:
  // Ends of panels on which the integrand is smooth: evenly spaced in the noise of this step, and in that of the next,
  // which sets where the inner delta leaves the line 1 - e^epsilon.
  std::vector<double> panel_ends(double epsilon, std::uint64_t steps) const {
    constexpr double reach = 12;
    const double decisive = unmixed_loss(rate_, epsilon) * noise_;
    const double low = -mean_ - 39;
    const double high = std::max(mean_, decisive) + 39;
    std::vector<double> ends;
    const double step = std::max(0.75, (high - low) / 400);
    const auto panels = to_integer<int>(std::ceil((high - low) / step), "panels");
    ends.reserve(static_cast<std::size_t>(panels) + 1);
    for (int i = 0; i < panels; ++i) ends.push_back(low + i * step);
    ends.push_back(high);

    std::vector<double> next{0};  // losses of the steps after this one
    for (std::uint64_t step_left = 1; step_left < steps; ++step_left) {
      std::vector<double> sums;
      const double spacing = steps == 2 ? 0.75 : 1.5;
      const auto points = to_integer<int>(std::floor(2 * (mean_ + reach) / spacing), "points");
      for (const double loss : next)
        for (int i = 0; i <= points; ++i)
          sums.push_back(loss + mixture_loss(rate_, (i * spacing - mean_ - reach) / noise_));
      next = std::move(sums);
    }
    for (const double loss : next) {
      const double t = unmixed_loss(rate_, epsilon - loss) * noise_;
      if (low < t && t < high) ends.push_back(t);
    }
    std::ranges::sort(ends);
    return ends;
  }

  double rate_;
  double noise_;
  double mean_;
  Direction direction_;
};

}  // namespace

double poisson_gaussian_log_delta(double rate, double noise_multiplier, double epsilon, Direction direction) {
  ranges::rate(rate);
  ranges::noise_multiplier(noise_multiplier);
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  if (rate == 0) return epsilon < 0 ? std::log(-std::expm1(epsilon)) : -infinity;
  if (rate == 1) return gaussian_log_delta(epsilon, noise_multiplier);
  return direction == Direction::remove ? remove_log_delta(rate, noise_multiplier, epsilon)
                                        : add_log_delta(rate, noise_multiplier, epsilon);
}

double poisson_gaussian_composed_log_delta(double rate, double noise_multiplier, double epsilon, std::uint64_t steps,
                                           Direction direction) {
  ranges::rate(rate);
  ranges::noise_multiplier(noise_multiplier);
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  require(1 <= steps && steps <= 3, "steps", steps, "1, 2 or 3");
  if (rate == 0) return poisson_gaussian_log_delta(0, noise_multiplier, epsilon, direction);
  if (rate == 1) return gaussian_log_delta(epsilon, noise_multiplier / std::sqrt(static_cast<double>(steps)));
  return Composition(rate, noise_multiplier, direction).log_delta(epsilon, steps);
}

}  // namespace dpbudget::profile
