#include "dpbudget/accounting/tradeoff/subsampled_gaussian.h"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/tradeoff/gaussian.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

// log of e^a + e^b.
double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// The t >= mu/2 at which f_p, p P(Z < t - mu) + (1 - p) P(Z < t), is `value`. Type I errors are P(Z > t).
double threshold_of(double rate, double mu, double value) {
  const double log_inside = std::log(rate);
  const double log_outside = std::log1p(-rate);
  // value - (1 - p), exact but for one rounding, because what is formed first is exact.
  const double surplus = value >= 0.5 ? rate - (1 - value) : value - (1 - rate);
  const bool is_far = 1 - value < rate / 2;
  // Falls through 0 with t. Far out by 1 - f_p = p P(Z > t - mu) + (1 - p) P(Z > t). Before, where that would lose
  // digits, by p P(Z < t - mu) + max(0, -surplus) = (1 - p) P(Z > t) + max(0, surplus).
  const auto excess = [&](double t) {
    const double outside = log_outside + numeric::log_upper_tail(t);
    if (is_far) return log_sum(log_inside + numeric::log_upper_tail(t - mu), outside) - std::log1p(-value);
    const double inside = log_inside + numeric::log_upper_tail(mu - t);
    return surplus > 0 ? log_sum(outside, std::log(surplus)) - inside : outside - log_sum(inside, std::log(-surplus));
  };
  const double low = mu / 2;
  const double start = mu + 1;
  const auto range =
      numeric::range_around(excess, start, {start - low}, {low, std::numeric_limits<double>::infinity()});
  return numeric::certified_root(excess, range).middle();
}

}  // namespace

double subsampled_gaussian_log_type_two_error(double sampling_rate, double mu, double type_one_error) {
  ranges::sampling_rate(sampling_rate);
  ranges::mu(mu);
  ranges::type_one_error(type_one_error);
  const double p = sampling_rate;
  const double a = type_one_error;
  if (a == 0) return 0;
  if (a == 1) return -std::numeric_limits<double>::infinity();
  if (p == 0 || mu == 0) return std::log1p(-a);
  if (p == 1) return gaussian_log_type_two_error(mu, a);
  const double log_fixed_point = numeric::log_upper_tail(mu / 2);
  if (std::log(a) <= log_fixed_point) {
    const double log_inside = std::log(p) + gaussian_log_type_two_error(mu, a);
    return log_sum(log_inside, std::log1p(-p) + std::log1p(-a));
  }
  // x* + f_p(x*) - a = (1 - p - a) + 2 p x*, the first of which is exact but for one rounding; x* may underflow.
  const numeric::Extended wide = a >= p ? (1 - numeric::Extended(a)) - p : (1 - numeric::Extended(p)) - a;
  const auto rest = static_cast<double>(wide);
  const double log_rise = std::log(2 * p) + log_fixed_point;
  const double log_on_the_line =
      rest >= 0 ? log_sum(std::log(rest), log_rise) : log_rise + std::log1p(std::max(-1.0, rest * std::exp(-log_rise)));
  if (log_on_the_line >= log_fixed_point) return log_on_the_line;
  return numeric::log_upper_tail(threshold_of(p, mu, a));
}

LossMoments subsampled_gaussian_moments(double sampling_rate, double mu) {
  ranges::sampling_rate(sampling_rate);
  require(0 <= mu && mu <= 1e3, "mu", mu, "in [0, 1e3]");
  if (sampling_rate == 0 || mu == 0) return {0, 0, 0, 0};
  const double p = sampling_rate;
  // Type I errors up to x* are P(Z > t), t >= mu/2, with slope -e^l. Beyond the line of slope -1 the curve is mirrored:
  // there the density is e^l times that at t, and the slope -e^-l.
  const auto loss = [=](double t) {
    const double x = mu * (t - mu / 2);
    return x < 30 ? std::log1p(p * std::expm1(x)) : x + std::log(p + (1 - p) * std::exp(-x));
  };
  const auto density = [](double t) { return std::exp(-t * t / 2) / std::sqrt(2 * std::numbers::pi); };
  const auto mirrored_density = [=](double t) { return (1 - p) * density(t) + p * density(t - mu); };
  const auto surplus = [=](double t) {  // of the mirrored density
    const double x = mu * (t - mu / 2);
    return x < 1 ? p * density(t) * std::expm1(x) : p * (density(t - mu) - density(t));
  };
  const double end = mu + 40;
  // The integrands fall like normal densities around 0 and around mu; between the two and beyond, one panel each.
  const auto integral = [=](const auto& integrand, double from, double to) {
    double sum = 0;
    for (const double next : {mu / 2 + 2, mu / 2 + 8, mu - 8, mu - 2, mu, mu + 2, mu + 8, end}) {
      const double right = std::min(next, to);
      if (right <= from) continue;
      sum += boost::math::quadrature::gauss_kronrod<double, 61>::integrate(integrand, from, right, 12, 1e-14);
      from = right;
    }
    return sum;
  };
  const double start = mu / 2;
  const double kl = integral([&](double t) { return loss(t) * surplus(t); }, start, end);
  const double second = integral(
      [&](double t) {
        const double l = loss(t);
        return l * l * (mirrored_density(t) + density(t));
      },
      start, end);
  const double on_the_line = (1 - p) * (1 - 2 * numeric::upper_tail(mu / 2));
  const auto square = [](double x) { return x * x; };
  const double variance = integral([&](double t) { return square(loss(t) + kl) * density(t); }, start, end) +
                          integral([&](double t) { return square(loss(t) - kl) * mirrored_density(t); }, start, end) +
                          square(kl) * on_the_line;
  const auto cube = [](double x) { return std::abs(x * x * x); };
  const auto mirrored = [&](double t) { return cube(loss(t) - kl) * mirrored_density(t); };
  const double kink = std::clamp(mu / 2 + std::log1p(std::expm1(kl) / p) / mu, start, end);  // where the loss is kl
  const double third = integral([&](double t) { return cube(loss(t) + kl) * density(t); }, start, end) +
                       integral(mirrored, start, kink) + integral(mirrored, kink, end) + cube(kl) * on_the_line;
  return {kl, second, variance, third};
}

}  // namespace dpbudget::tradeoff
