#include "dpbudget/accounting/renyi/gaussian_central_moment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/scaled_sum.h"

namespace dpbudget::renyi {

using numeric::unit;
namespace {

constexpr double most_moment_nodes = 1 << 20;
constexpr double moment_decay = 46;  // quadrature and truncation stay below e^-46 of the moment

// A lower bound on E[|r - 1|^l]^{1/l}, r the likelihood ratio: accounting/renyi/proofs.md, 4.2.
double least_norm(double noise, double power) {
  const double second = std::sqrt(std::expm1(1 / noise / noise));
  const double far = std::expm1((power - 1) / 2 / noise / noise);
  const double root = std::sqrt(power);
  const double shift = 0.5 / noise;
  const double window =
      root > shift ? (root - shift) / noise * std::exp(-((root + 1) * (root + 1) / 2 + 1) / power) : 0;
  return std::max({second, far, window});
}

// The largest step of the trapezoid rule whose relative error is below e^-moment_decay. On the line at distance a = 2
// pi / h the norm of the integrand's base grows by the factor 1 + a sqrt(r)/s / |r - 1| at most, in L^l.
double moment_step(double noise, double power) {
  const double pi = std::numbers::pi;
  const double growth = std::exp((power / 2 - 1) / 4 / noise / noise) / noise / least_norm(noise, power);
  double step = pi * std::sqrt(2 / moment_decay);
  while (!(2 * pi * pi / step / step - power * std::log1p(2 * pi / step * growth) >= moment_decay)) step *= 0.9;
  return step;
}

}  // namespace

double GaussianCentralMoments::operator()(std::uint64_t power) const {
  const auto known = known_.find(power);
  if (known != known_.end()) return known->second;
  return known_.emplace(power, compute(static_cast<double>(power))).first->second;
}

double GaussianCentralMoments::compute(double power) const {
  if (power == 2) {
    const double exponent = 1 / noise_ / noise_;
    return exponent > 40 ? exponent * (1 + 4 * unit) : std::log(std::expm1(exponent)) + 16 * unit;
  }
  // Far beyond double's range the largest term, e^{l(l-1)/(2 s^2)}, is the moment to every digit.
  const double leading = power * (power - 1) / 2 / noise_ / noise_;
  if ((power - 1) / noise_ / noise_ > 60 + std::log(power)) return leading * (1 + 4 * unit) + 16 * unit;

  const double root = std::sqrt(power);
  const double reach = std::sqrt(2 * moment_decay) + root;
  const double left = -reach;
  const double right = reach + 0.5 / noise_ + power / noise_;
  const double step = moment_step(noise_, power);
  if (!((right - left) / step < most_moment_nodes)) return std::numeric_limits<double>::infinity();

  ScaledSum sum;
  const auto count = to_integer<std::uint64_t>((right - left) / step, "nodes") + 1;
  for (std::uint64_t i = 0; i <= count; ++i) {
    const double u = left + static_cast<double>(i) * step;
    const double exponent = u / noise_ - 0.5 / noise_ / noise_;
    const double distance = std::abs(std::expm1(exponent));
    if (distance == 0) continue;
    const double log_term = power * std::log(distance) - u * u / 2;
    const double rounding = (std::abs(u) / noise_ + 0.5 / noise_ / noise_) * (1 + 1 / distance);
    sum.add(log_term, 4 + u * u + power * (4 + rounding + std::abs(std::log(distance))));
  }
  const double relative_error = unit * (sum.error() + static_cast<double>(count)) + 1e-15;
  return sum.log_scale() + std::log(sum.total()) + std::log(step) - 0.5 * std::log(2 * std::numbers::pi) +
         relative_error + 8 * unit * (4 + std::abs(sum.log_scale()));
}

}  // namespace dpbudget::renyi
