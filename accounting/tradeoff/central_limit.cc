#include "dpbudget/accounting/tradeoff/central_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/tradeoff/gaussian.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

void check(double sampling_rate, double noise_multiplier, double steps) {
  ranges::sampling_rate(sampling_rate);
  ranges::noise_multiplier(noise_multiplier);
  require(0 <= steps && steps <= static_cast<double>(ranges::max_count), "steps", steps, "in [0, 2^53]");
}

// log of q sqrt(T v); `log_variance` of one step is asked for only where there are any.
template <class LogVariance>
double log_mu(double sampling_rate, double noise_multiplier, double steps, const LogVariance& log_variance) {
  check(sampling_rate, noise_multiplier, steps);
  if (sampling_rate == 0 || steps == 0) return -std::numeric_limits<double>::infinity();
  return std::log(sampling_rate) + (std::log(steps) + log_variance(1 / noise_multiplier)) / 2;
}

// Above, what is added to e^{x^2} is less than rounding; below, so is what is added to x^2, which may underflow.
constexpr double large = 10;
constexpr double small = 1e-100;

// erf(3x / (2 sqrt 2)) / 2 - 3 erf(x / (2 sqrt 2)) / 2, whose linear terms cancel: by its power series for small x.
double difference_of_errors(double x) {
  if (x > 0.25) return std::erf(1.5 * x / std::numbers::sqrt2) / 2 - 1.5 * std::erf(0.5 * x / std::numbers::sqrt2);
  const double square = x * x / 8;  // of x / (2 sqrt 2)
  double power = x / (2 * std::numbers::sqrt2) / std::sqrt(std::numbers::pi);
  double ninth = 1;  // 9^n
  double sum = 0;
  for (int n = 1; n <= 12; ++n) {
    power *= -square / n;
    ninth *= 9;
    sum += 3 * power * (ninth - 1) / (2 * n + 1);
  }
  return sum;
}

}  // namespace

double clt_log_mu_poisson(double sampling_rate, double noise_multiplier, double steps) {
  return log_mu(sampling_rate, noise_multiplier, steps, [](double x) {
    if (x < small) return 2 * std::log(x);
    return x > large ? x * x : std::log(std::expm1(x * x));
  });
}

double clt_mu_poisson(double sampling_rate, double noise_multiplier, double steps) {
  return std::exp(clt_log_mu_poisson(sampling_rate, noise_multiplier, steps));
}

double clt_log_mu_without_replacement(double sampling_rate, double noise_multiplier, double steps) {
  return log_mu(sampling_rate, noise_multiplier, steps, [](double x) {
    if (x > large) return std::numbers::ln2 + x * x;
    if (x < small) return 2 * std::log(x);
    // e^{x^2} Phi(3x/2) + 3 Phi(-x/2) - 2, without the terms that cancel.
    return std::numbers::ln2 + std::log(std::expm1(x * x) * numeric::upper_tail(-1.5 * x) + difference_of_errors(x));
  });
}

double clt_mu_without_replacement(double sampling_rate, double noise_multiplier, double steps) {
  return std::exp(clt_log_mu_without_replacement(sampling_rate, noise_multiplier, steps));
}

BerryEsseen berry_esseen(const LossMoments& moments, double steps) {
  require(1 <= steps && steps <= static_cast<double>(ranges::max_count), "steps", steps, "in [1, 2^53]");
  const double variance = moments.variance;
  if (!(variance > 0))
    throw Unsupported("the Berry-Esseen theorem needs losses that vary, but these vary by less than a double can show");
  return {2 * std::sqrt(steps) * moments.kl / std::sqrt(variance),
          0.56 * moments.third_centred / (std::sqrt(steps) * variance * std::sqrt(variance))};
}

numeric::Bracket berry_esseen_band(const BerryEsseen& limit, double type_one_error) {
  ranges::type_one_error(type_one_error);
  if (!(limit.gamma < 0.5))
    throw Unsupported(fmt::format("the Berry-Esseen band needs gamma < 1/2, but gamma is {}", limit.gamma));
  if (!(limit.gamma <= type_one_error && type_one_error <= 1 - limit.gamma))
    throw Unsupported(
        fmt::format("the Berry-Esseen band needs type_one_error in [gamma, 1 - gamma] = [{}, {}], but it is {}",
                    limit.gamma, 1 - limit.gamma, type_one_error));
  // Moments, mu and gamma are off by relative 1e-11 at most, and G_mu is 1-Lipschitz in mu.
  const double margin = 1e-10 * (1 + limit.mu);
  const auto g = [&](double a) { return std::exp(gaussian_log_type_two_error(limit.mu, std::clamp(a, 0.0, 1.0))); };
  const double below = limit.gamma * (1 + 1e-10);
  return {std::max(0.0, g(type_one_error + below) - below - margin),
          std::min(1 - type_one_error, g(type_one_error - below) + below + margin)};
}

}  // namespace dpbudget::tradeoff
