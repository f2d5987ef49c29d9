#include "dpbudget/accounting/loss_distribution/moments.h"

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;
namespace {

// A block's sum is a polynomial in e^(order mesh) that no power may overflow.
constexpr std::size_t longest_block = 256;
constexpr double greatest_exponent = 500;

// Masses add up to hardly more than 1: those whose powers are so far below the sum, on a logarithmic scale, are less
// than a rounding of it, however many.
constexpr double weightless = 128;

double horner(const double* coefficient, std::size_t length, double x) {
  double value = coefficient[length - 1];
  for (std::size_t i = length - 1; i-- > 0;) value = value * x + coefficient[i];
  return value;
}

// Sum of coefficient[i] x^i, by many interleaved Horner schemes: one alone waits for its own multiplications.
double polynomial(const double* coefficient, std::size_t length, double x) {
  constexpr std::size_t schemes = 16;
  if (length < 2 * schemes) return horner(coefficient, length, x);
  double power = x;
  for (std::size_t k = 1; k < schemes; k *= 2) power *= power;
  const std::size_t last = (length - 1) / schemes * schemes;
  std::array<double, schemes> values{};
  for (std::size_t k = last; k < length; ++k) values[k - last] = coefficient[k];
  for (std::size_t i = last; i > 0; i -= schemes)
    for (std::size_t k = 0; k < schemes; ++k) values[k] = values[k] * power + coefficient[i - schemes + k];
  return horner(values.data(), schemes, x);
}

// The minimiser of a function of order > 0 that falls and then rises, to about a percent: orders need be no better.
// @param start  within a factor of 10^12
// @param most   beyond which, but for a factor of 4, nothing is looked for
template <class Function>
double minimiser(const Function& function, double start, double most = infinity) {
  double middle = start;
  double value = function(middle);
  double factor = 2;
  if (!(function(middle * factor) < value)) factor = 0.5;
  for (double next = function(middle * factor);
       next < value && 1e-12 * start < middle && middle < std::min(1e12 * start, most);
       next = function(middle * factor)) {
    middle *= factor;
    value = next;
  }
  const auto of_log = [&](double log_order) { return function(std::exp(log_order)); };
  const double centre = std::log(middle);
  return std::exp(boost::math::tools::brent_find_minima(of_log, centre - 0.7, centre + 0.7, 8).first);
}

double mass(double log_mass) { return numeric::exp_up(log_mass, unit * (1 + std::abs(log_mass))); }

}  // namespace

// accounting/loss_distribution/proofs.md, 3.4
LogMoment log_moment(const LossDistribution& distribution, double order) {
  const std::vector<double>& mass = distribution.mass;
  const double exponent = order * distribution.grid.mesh;
  const double ratio = std::exp(exponent);
  const auto block = to_integer<std::size_t>(
      std::clamp(greatest_exponent / std::max(std::abs(exponent), 1e-300), 1.0, static_cast<double>(longest_block)),
      "block");
  double top = -infinity;
  double sum = 0;
  const std::size_t blocks = mass.empty() ? 0 : (mass.size() - 1) / block + 1;
  for (std::size_t i = 0; i < blocks; ++i) {
    // From the end that has the largest powers: of large orders they alone are of weight.
    const std::size_t start = (order > 0 ? blocks - 1 - i : i) * block;
    const std::size_t length = std::min(block, mass.size() - start);
    const double largest_left = order * distribution.loss(order > 0 ? start + length - 1 : start);
    if (largest_left < top - weightless) break;
    const double value = polynomial(mass.data() + start, length, ratio);
    if (!(value > 0)) continue;
    const double log_value = std::log(value) + order * distribution.loss(start);
    if (log_value < top - weightless) continue;
    if (log_value <= top) {
      sum += std::exp(log_value - top);
    } else {
      sum = sum * std::exp(top - log_value) + 1;
      top = log_value;
    }
  }
  if (top == -infinity) return {-infinity, 0};
  const double error = unit * (2 * static_cast<double>(block) + std::min(static_cast<double>(blocks), 1e6) +
                               4 * std::abs(order) * distribution.reach() + std::abs(top) + 10);
  return {top + std::log(sum), error};
}

LogMoment log_moment(const std::vector<Part>& parts, double order) {
  LogMoment total{0, 0};
  for (const Part& part : parts) {
    const LogMoment one = log_moment(*part.distribution, order);
    const auto count = static_cast<double>(part.count);
    total.value += count * one.value;
    total.error += count * one.error + unit * (std::abs(total.value) + count * std::abs(one.value));
  }
  return total;
}

MomentTable::MomentTable(std::vector<double> orders) {
  std::ranges::sort(orders);
  for (const double order : orders) entries_.push_back({order, {0, 0}});
}

void MomentTable::add(const Part& part) {
  for (auto& [order, moment] : entries_) {
    const LogMoment one = log_moment({part}, order);
    moment.value += one.value;
    moment.error += one.error + unit * std::abs(moment.value);
  }
}

// accounting/loss_distribution/proofs.md, 3.2
double MomentTable::log_mass_beyond(double threshold, int sign) const {
  double least = 0;
  for (const auto& [order, moment] : entries_) {
    if (!(sign * order > 0)) continue;
    const double value = moment.value - order * threshold;
    least = std::min(least, value + moment.error + unit * (std::abs(moment.value) + std::abs(order * threshold)));
  }
  return least;
}

double MomentTable::log_mass_above(double threshold) const { return log_mass_beyond(threshold, +1); }
double MomentTable::log_mass_below(double threshold) const { return log_mass_beyond(threshold, -1); }
double MomentTable::mass_above(double threshold) const { return mass(log_mass_above(threshold)); }
double MomentTable::mass_below(double threshold) const { return mass(log_mass_below(threshold)); }

MomentTable moments_of(const std::vector<Part>& parts, std::vector<double> orders) {
  MomentTable table(std::move(orders));
  for (const Part& part : parts) table.add(part);
  return table;
}

std::vector<double> orders_around(double tilt, double deviation) {
  std::vector<double> orders = {0};
  for (const double share : {0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0})
    orders.push_back(share * tilt);
  for (const double distance : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0})
    for (const int sign : {-1, +1}) orders.push_back(tilt + sign * distance / deviation);
  return orders;
}

double first_order(const std::vector<Part>& parts) {
  constexpr double small = 0x1p-30;
  double reach = 0;
  for (const Part& part : parts) reach = std::max(reach, part.distribution->reach());
  return reach < small ? 1 / reach : 1;
}

double saddle_at_epsilon(const std::vector<Part>& parts, double epsilon) {
  const auto log_bound = [&](double order) {
    return log_moment(parts, order).value - order * epsilon - std::log(order) - std::log1p(order);
  };
  return minimiser(log_bound, first_order(parts));
}

Saddle saddle_at_delta(const std::function<double(double)>& log_moment_at, double log_delta, double start,
                       double most) {
  // delta <= E[e^(c (L - epsilon))] c^c / (c+1)^(c+1).
  const auto epsilon = [&](double order) {
    const double gain = -std::log1p(order) - order * std::log1p(1 / order);
    return (log_moment_at(order) + gain - log_delta) / order;
  };
  const double order = minimiser(epsilon, start, most);
  return {order, epsilon(order)};
}

}  // namespace dpbudget::loss_distribution
