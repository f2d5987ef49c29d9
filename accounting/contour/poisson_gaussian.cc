#include "dpbudget/accounting/contour/poisson_gaussian.h"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/contour/layers.h"
#include "dpbudget/accounting/contour/second_order_sums.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/mixture_moment.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;
using renyi::GaussianMixture;
using renyi::MixtureNode;

// Discretisation and truncation together, relative to the moment less 1 (accounting/contour/proofs.md, 3.1).
constexpr double quadrature_error = 1e-16;
constexpr double most_nodes = 1 << 20;

// The trapezoid rule for moments of order at most `c`, off the real axis by at most `reach`.
struct Rule {
  double left;
  double right;
  double step;

  double nodes() const { return std::ceil((right - left) / step) + 1; }
};

Rule rule_for(const GaussianMixture& mixture, Direction direction, double c, double reach) {
  const auto [rate, noise] = mixture;
  const double off_axis = std::hypot(1, reach / c) * std::hypot(1, reach / (c + 1));
  const double decay = 46 + 2 * std::max(0.0, std::log(noise)) + std::log(off_axis);
  const double blow_up = direction == Direction::remove ? 1 : 2 + c;
  const double angle = std::min(0.95 * std::numbers::pi, 2 / std::sqrt(blow_up));
  const double width = std::min(std::sqrt(2 * decay), angle * noise);
  const double loss = -blow_up * std::log(std::cos(angle / 2));
  const double step = 2 * std::numbers::pi * width / (decay + loss + width * width / 2 + reach * width / noise);
  const double side = std::sqrt(2 * decay);
  if (direction == Direction::remove) return {-side, side + std::max(c + 1, 2.0) / noise, step};
  const double left = std::min(side + (2 + c) / noise, std::sqrt(side * side - 2 * (2 + c) * std::log1p(-rate)));
  return {-left, side + 2 / noise, step};
}

// accounting/contour/proofs.md, 4.3
std::vector<MixtureNode> nodes_of(const GaussianMixture& mixture, const Rule& rule, double noise_error) {
  std::vector<MixtureNode> nodes;
  if (!(rule.nodes() <= most_nodes)) throw DoesNotConverge();
  const auto count = to_integer<std::size_t>(rule.nodes(), "nodes");
  nodes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(mixture_node(mixture, rule.left + static_cast<double>(i) * rule.step, rule.step));
    // An error of the noise moves the exponent u/s - 1/(2 s^2) like a rounding error that is larger by this factor.
    nodes.back().slack *= 1 + 2 * noise_error / unit;
  }
  return nodes;
}

struct LogMoment {
  double value;
  double error;
  double of_quadrature;  // relative to M(c), at c and on the contour together
};

// accounting/contour/proofs.md, 3.2
LogMoment log_moment_of(std::span<const MixtureNode> nodes, double power) {
  renyi::LogExcess excess = sum_of_excess(nodes, power);
  excess.relative_error += quadrature_error;
  const renyi::Divergence found = divergence(excess, 2);
  return {found.value, found.value * found.relative_error,
          2 * quadrature_error * std::exp(excess.log_value - found.value)};
}

double power_of(Direction direction, double c) { return direction == Direction::remove ? c + 1 : -c; }

// The mean and the variance are what they are up to rounding: they are to search with.
Cumulant cumulant_of(std::span<const MixtureNode> nodes, Direction direction, double c) {
  const double power = power_of(direction, c);
  const LogMoment log_moment = log_moment_of(nodes, power);
  double mean = 0;
  double square = 0;
  for (const MixtureNode& n : nodes) {
    const double part = std::exp(n.log_weight - log_moment.value + power * n.log_ratio) * n.log_ratio;
    mean += part;
    square += part * n.log_ratio;
  }
  return {log_moment.value, direction == Direction::remove ? mean : -mean, square - mean * mean, log_moment.error};
}

// The quadrature's nodes as a law of the loss, tilted.
struct Tilted {
  LogMoment log_moment;
  double mean = 0;  // with the part of mean 0 subtracted: no cancellation
  double mean_error = 0;
  double variance = 0;
  std::vector<double> weights{};  // sum to 1
  std::vector<double> losses{};
  // Bounds on the error of the sum of weight (e^{is loss} - 1 - is loss), over |s| and over s^2.
  double linear_error = 0;
  double quadratic_error = 0;
};

// accounting/contour/proofs.md, 3.2
Tilted tilted(std::span<const MixtureNode> nodes, Direction direction, double c) {
  const double sign = direction == Direction::remove ? 1 : -1;
  const double power = power_of(direction, c);
  Tilted law{.log_moment = log_moment_of(nodes, power)};
  law.weights.reserve(nodes.size());
  law.losses.reserve(nodes.size());
  const double common_error =
      16 + static_cast<double>(nodes.size()) / 8 + law.log_moment.value + law.log_moment.error / unit;
  double square = 0;
  for (const MixtureNode& n : nodes) {
    const double l = n.log_ratio;
    const double log_scale = n.log_weight - law.log_moment.value;
    const double weight = std::exp(log_scale + power * l);
    // In units: of the loss, absolutely; of the weight, relatively.
    const double loss_error = std::abs(l) + (std::isinf(n.x) ? 1 : std::abs(n.x) / (1 + n.x)) * n.slack;
    const double weight_error =
        common_error + n.u * n.u + std::abs(n.log_weight) + std::abs(power) * (2 * std::abs(l) + loss_error);
    if (std::abs(l) < 0.5 && std::abs(power * l) < 1) {
      const double scale = std::exp(log_scale);
      const double bend = std::expm1(power * l) * l;
      const double rest = boost::math::log1pmx(n.x);
      law.mean += scale * (bend + rest);
      law.mean_error += scale * ((std::abs(bend) + std::abs(rest)) * weight_error +
                                 5 * (std::abs(power) + 1) * std::abs(l) * loss_error);
    } else {
      const double linear = std::copysign(std::exp(log_scale + (std::isinf(n.x) ? l : std::log(std::abs(n.x)))), n.x);
      law.mean += weight * l - linear;
      law.mean_error +=
          (weight * std::abs(l) + std::abs(linear)) * weight_error + weight * loss_error + std::abs(linear) * n.slack;
    }
    square += weight * l * l;
    law.weights.push_back(weight);
    law.losses.push_back(sign * l);
    law.linear_error += 2 * weight * (std::abs(l) * (weight_error + 4) + loss_error);
    law.quadratic_error += weight * std::abs(l) * (std::abs(l) * (weight_error / 2 + 4) + loss_error);
  }
  law.mean *= sign;
  law.mean_error *= unit;
  law.linear_error *= unit;
  law.quadratic_error *= unit;
  law.variance = square - law.mean * law.mean;
  return law;
}

class PoissonGaussian final : public Transform {
 public:
  PoissonGaussian(const SampledGaussian& sampled, Direction direction)
      : mixture_{sampled.sampling_rate, sampled.noise_multiplier},
        noise_error_(sampled.noise_error),
        direction_(direction) {}

  Cumulant cumulant(double c) const override {
    return known_.at(c, [this](double point) { return cumulant_of(nodes_for(point), direction_, point); });
  }

  std::function<double(double)> log_envelope(double c) const override;

  std::function<LogCharacteristic(double)> log_characteristic(double c, double reach, double floor) const override {
    const Rule rule = rule_for(mixture_, direction_, c, reach);
    Tilted tilted_law = tilted(nodes_of(mixture_, rule, noise_error_), direction_, c);
    if (direction_ == Direction::add) {
      std::ranges::reverse(tilted_law.weights);
      std::ranges::reverse(tilted_law.losses);
    }
    SecondOrderSums sums(std::move(tilted_law.weights), std::move(tilted_law.losses));
    return [law = std::move(tilted_law), sums = std::move(sums), floor](double s) mutable {
      const SecondOrderSums::Sum bends = sums.at(s);
      const double error = s * law.mean_error + law.log_moment.of_quadrature + bends.error +
                           std::min(s * law.linear_error, s * s * law.quadratic_error);
      LogCharacteristic phi = log1p({bends.value.real(), bends.value.imag() + s * law.mean}, error);
      phi.below_until = sums.at_stride(s, below_until(phi, s, law.variance, floor));
      return phi;
    };
  }

  double cost(double c, double reach) const override { return rule_for(mixture_, direction_, c, reach).nodes(); }

  double max_loss() const override {
    return direction_ == Direction::remove ? infinity : -std::log1p(-mixture_.sampling_rate) * (1 + 1e-9);
  }

 private:
  // Nodes for the real axis, shared by all c within a factor 4.
  const std::vector<MixtureNode>& nodes_for(double c) const {
    if (!(c <= largest_c_) || c < largest_c_ / 4) {
      // Where they are too many those that are known stay what they are.
      const Rule rule = rule_for(mixture_, direction_, 2 * c, 0);
      nodes_ = nodes_of(mixture_, rule, noise_error_);
      rule_ = rule;
      largest_c_ = 2 * c;
    }
    return nodes_;
  }

  GaussianMixture mixture_;
  double noise_error_;
  Direction direction_;
  mutable CumulantMemory known_;
  mutable double largest_c_ = 0;
  mutable Rule rule_{};
  mutable std::vector<MixtureNode> nodes_;
};

// accounting/contour/proofs.md, 2.2
std::function<double(double)> PoissonGaussian::log_envelope(double c) const {
  const double rate = mixture_.sampling_rate;
  const double noise = mixture_.noise_multiplier;
  const std::vector<MixtureNode>& nodes = nodes_for(c);
  const Tilted law = tilted(nodes, direction_, c);
  // The density of the loss at u is the weight's over dL/du = r/s, r = q e^{exponent} / (1 + x). Its logarithm g has
  // g' = -u + (steepness r - 1) / s and -1 - |steepness| / (4 s^2) <= g'' <= -1 + max(0, steepness) / (4 s^2).
  const double steepness = direction_ == Direction::remove ? c + 2 : 1 - c;
  const double eighth = rule_.step * rule_.step / 8;
  const double sag = eighth * std::max(0.0, steepness / 4 / noise / noise - 1);
  const double bulge = eighth * (1 + std::abs(steepness) / 4 / noise / noise);
  struct At {
    double log_slope;
    double log_density;
  };
  const auto at = [&](std::size_t i) -> At {
    const double exponent = nodes[i].u / noise - 0.5 / noise / noise;
    const double log_slope = std::log(rate / noise) + exponent - nodes[i].log_ratio;
    return {log_slope, std::log(law.weights[i] / rule_.step) - log_slope};
  };
  Layers layers;
  double log_largest = -infinity;
  At before = at(0);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const At after = at(i);
    const double log_height = std::min(before.log_density, after.log_density) - sag;
    // log r is concave in u.
    const double rise = after.log_slope - before.log_slope;
    const double width = rule_.step * std::exp(before.log_slope) * (rise > 0 ? std::expm1(rise) / rise : 1);
    if (log_height < 700) layers.add_step(width, std::exp(log_height));
    log_largest = std::max({log_largest, before.log_density + bulge, after.log_density + bulge});
    before = after;
  }
  layers.close();
  // At most two maxima, none outside the nodes when the density falls away from them on both sides.
  const bool is_inside = -nodes.front().u > (1 + std::max(0.0, -steepness)) / noise &&
                         nodes.back().u > (std::max(0.0, steepness) - 1) / noise;
  const double log_variation = is_inside ? std::log(4) + log_largest + 1e-6 : infinity;
  return [layers = std::move(layers), log_variation](double s) {
    return std::min(layers.log_bound(s), log_variation - std::log(s));
  };
}

}  // namespace

TransformPtr poisson_gaussian(const SampledGaussian& sampled, Direction direction) {
  return std::make_shared<PoissonGaussian>(sampled, direction);
}

}  // namespace dpbudget::contour
