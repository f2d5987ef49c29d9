#include "dpbudget/accounting/renyi/mixture_moment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/excess.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/scaled_sum.h"

namespace dpbudget::renyi {

using numeric::excess;
using numeric::log_excess;
using numeric::unit;
namespace {

constexpr double max_nodes = 1 << 20;
// Truncation and discretisation are each kept below e^-decay times the constant of accounting/renyi/proofs.md, 2.2
// and 2.3, and so below `quadrature_error` of the result.
constexpr double decay = 46;
constexpr double quadrature_error = 1e-15;

}  // namespace

// The error decreases like e^{-2 pi a / h} for an integrand analytic within distance a of the real line, where the
// normal density grows by e^{a^2/2} and the power by at most cos(a / (2 s))^-blow_up.
double trapezoid_step(double noise, double power) {
  const double pi = std::numbers::pi;
  const double required = decay + 2 * std::max(0.0, std::log(noise));
  const double blow_up = std::max(0.0, 2 - power);
  const double angle = std::min(0.95 * pi, 2 / std::sqrt(std::max(blow_up, 0.1)));
  const double loss = -blow_up * std::log(std::cos(angle / 2));
  // Without the singularity the best strip has a = 2 pi / h.
  const double free_step = pi * std::sqrt(2 / (required + loss));
  const double width = angle * noise;
  if (2 * pi / free_step <= width) return free_step;
  return 2 * pi * width / (required + loss + width * width / 2);
}

double GaussianMixture::reach() const { return std::sqrt(2 * (decay + 2 * std::max(0.0, std::log(noise_multiplier)))); }

MixtureNode mixture_node(const GaussianMixture& mixture, double u, double rule_weight) {
  const auto [rate, noise] = mixture;
  const double exponent = u / noise - 0.5 / noise / noise;
  const double log_weight = std::log(rule_weight * 0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi) - u * u / 2;
  const double weight = std::exp(log_weight);
  // Rounding of the exponent is a relative error of e^exponent, and so of x = q (e^exponent - 1).
  const double rounding = std::abs(u) / noise + 0.5 / noise / noise;
  if (exponent > 600) {
    return {u, weight, log_weight, std::numeric_limits<double>::infinity(), std::log(rate) + exponent, 4 + rounding};
  }
  const double relative = std::expm1(exponent);
  const double x = rate * relative;
  const double slack = relative == 0 ? 0 : 4 + rounding * std::abs((1 + relative) / relative);
  return {u, weight, log_weight, x, std::log1p(x), slack};
}

// accounting/renyi/proofs.md, 1.1; accounting/numeric/proofs.md, 1.2
LogExcess sum_of_excess(std::span<const MixtureNode> nodes, double power) {
  // A term's relative error, in units: of the weight, of x times how steeply the excess depends on it, of the power.
  const auto error_of = [power](const MixtureNode& n) {
    return 8 + n.u * n.u + (2 + std::abs(power * n.log_ratio)) * (2 + n.slack);
  };
  double total = 0;
  double error = 0;
  // Whether every weight, power and product stays inside the range of a double.
  const auto moderate = [power](const MixtureNode& n) {
    return std::abs(power * n.log_ratio) < 600 && n.log_weight > -600;
  };
  if (moderate(nodes.front()) && moderate(nodes.back())) {
    for (const MixtureNode& n : nodes) {
      const double term = n.weight * excess(power, n.x, n.log_ratio);
      total += term;
      error += term * error_of(n);
    }
  }
  const auto number = static_cast<double>(nodes.size());
  if (total > 1e-250) return {std::log(total), unit * (error / total + number)};
  // An excess is at most the larger of the power and of what is linear in x.
  const double log_power = std::log(std::abs(power));
  const auto at_most = [=](const MixtureNode& n) {
    return n.log_weight + std::max(power * n.log_ratio, log_power + std::max(0.0, n.log_ratio));
  };
  ScaledSum sum;
  for (const MixtureNode& n : nodes) {
    if (n.x == 0 || at_most(n) < sum.log_scale() - ScaledSum::negligible) continue;
    const double log_term = n.log_weight + log_excess(power, n.x, n.log_ratio);
    sum.add(log_term, error_of(n) + std::abs(log_term));
  }
  return {sum.log_scale() + std::log(sum.total()), unit * (sum.error() + number)};
}

MixtureMoment::MixtureMoment(GaussianMixture mixture)
    : mixture_(mixture), step_(trapezoid_step(mixture.noise_multiplier, 1)) {}

std::optional<LogExcess> MixtureMoment::operator()(double power) const {
  const auto [rate, noise] = mixture_;
  const double reach = mixture_.reach();
  LogExcess value{};
  if (power > 1) {
    // Weighted by the power, the density is centred no further right than max(power, 2) / s.
    const double nodes_needed = std::ceil((2 * reach + std::max(power, 2.0) / noise) / step_);
    if (!(nodes_needed < max_nodes)) return std::nullopt;
    const auto count = to_integer<std::size_t>(nodes_needed, "nodes") + 1;
    while (nodes_.size() < count)
      nodes_.push_back(mixture_node(mixture_, -reach + static_cast<double>(nodes_.size()) * step_, step_));
    value = sum_of_excess(std::span(nodes_).first(count), power);
  } else {
    // Negative powers weigh the left, where 1 + x is at least 1 - q: by no more than (1-q)^power, nor further left than
    // (2 - power) / s.
    const double step = trapezoid_step(noise, power);
    const double left =
        std::min(reach + (2 - power) / noise, std::sqrt(reach * reach - 2 * (2 - power) * std::log1p(-rate)));
    const double nodes_needed = std::ceil((left + reach + 2 / noise) / step);
    if (!(nodes_needed < max_nodes)) return std::nullopt;
    const auto last = to_integer<std::size_t>(nodes_needed, "nodes");
    std::vector<MixtureNode> nodes;
    for (std::size_t i = 0; i <= last; ++i)
      nodes.push_back(mixture_node(mixture_, -left + static_cast<double>(i) * step, step));
    value = sum_of_excess(nodes, power);
  }
  value.relative_error += quadrature_error;
  return value;
}

Divergence minkowski(const GaussianMixture& mixture, double order) {
  const auto [rate, noise] = mixture;
  const double exponent = (order - 1) / 2 / noise / noise;
  if (exponent < 1) return {order * std::log1p(rate * std::expm1(exponent)) / (order - 1), 16 * unit};
  const double log_norm = exponent + std::log(rate + (1 - rate) * std::exp(-exponent));
  return {order / (order - 1) * log_norm, 16 * unit * (1 + exponent / log_norm)};
}

bool components_apart(const GaussianMixture& mixture, double order) {
  return (order - 1) / 2 / mixture.noise_multiplier / mixture.noise_multiplier + std::log(mixture.sampling_rate) > 50;
}

}  // namespace dpbudget::renyi
