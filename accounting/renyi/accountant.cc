#include "dpbudget/accounting/renyi/accountant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/renyi/best_order.h"
#include "dpbudget/accounting/renyi/composition.h"
#include "dpbudget/accounting/renyi/conversion.h"
#include "dpbudget/accounting/renyi/rounding.h"
#include "dpbudget/accounting/solve/integer_search.h"

namespace dpbudget::renyi {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Proven upper bounds of the conversions: each sum of terms is raised by a few units of its terms' magnitudes.

// What `to_epsilon_canonne` adds to the divergence: negative where the order is large.
double conversion_cost(double order, double log_delta) {
  return std::log1p(-1 / order) - (log_delta + std::log(order)) / (order - 1);
}

double proven_epsilon(double order, double rdp, double log_delta) {
  if (!std::isfinite(rdp)) return infinity;
  const double magnitude = rdp - std::log1p(-1 / order) + (std::log(order) - log_delta) / (order - 1);
  return std::max(0.0, rdp + conversion_cost(order, log_delta) + 8 * unit * magnitude);
}

double proven_log_delta(double order, double rdp, double epsilon) {
  if (!std::isfinite(rdp)) return 0;
  const double gain = std::log1p(-1 / order);
  const double log_delta = (order - 1) * (rdp - epsilon + gain) - std::log(order);
  const double magnitude = (order - 1) * (rdp + epsilon - gain) + std::log(order);
  return std::min(0.0, log_delta + 8 * unit * magnitude);
}

// Curves do not decrease, so the total variation bound is best at the smallest order; this is near enough.
constexpr double order_of_total_variation = 1 + 0x1p-20;

double proven_log_total_variation(const Curve& curve) {
  return std::min(0.0, to_log_total_variation(curve(order_of_total_variation)) + 16 * unit);
}

std::string theorem(const std::vector<std::string>& theorems, double order, std::string_view conversion) {
  return std::isinf(order)
             ? fmt::format("{}; order infinity is pure DP: Mironov 2017, Proposition 3", fmt::join(theorems, "; "))
             : fmt::format("{}; conversion at order {:.6g}: {}", fmt::join(theorems, "; "), order, conversion);
}

constexpr std::string_view composition_theorem = "composition: Mironov 2017, Proposition 1";
constexpr std::string_view conversion_name = "Canonne, Kamath, Steinke 2020, Proposition 12";

Bound bound(double upper, double order, const std::vector<std::string>& theorems) {
  return {.lower = 0,
          .upper = upper,
          .guarantee = Guarantee::proven,
          .theorem = theorem(theorems, order, conversion_name),
          .notes = {}};
}

}  // namespace

EpsilonAtOrder epsilon_of(const Curve& curve, double delta) {
  ranges::delta(delta);
  const double log_delta = std::log(delta);
  if (proven_log_total_variation(curve) < log_delta) return {0, order_of_total_variation};
  const BestOrder best = best_order([&](double order) { return proven_epsilon(order, curve(order), log_delta); });
  const double pure = curve.at_infinity();
  return pure <= best.value ? EpsilonAtOrder{pure, infinity} : EpsilonAtOrder{best.value, best.order};
}

Bound epsilon(const Plan& plan, double delta) {
  ranges::delta(delta);
  const PlanCurve plan_curve = curve_of(plan);
  const EpsilonAtOrder found = epsilon_of(*plan_curve.curve, delta);
  return bound(found.epsilon, found.order, plan_curve.theorems);
}

DeltaBound delta(const Plan& plan, double epsilon) {
  ranges::epsilon(epsilon);
  const PlanCurve plan_curve = curve_of(plan);
  const Curve& curve = *plan_curve.curve;
  if (curve.at_infinity() <= epsilon) return {bound(0, infinity, plan_curve.theorems), -infinity};
  const BestOrder best = best_order([&](double order) { return proven_log_delta(order, curve(order), epsilon); });
  const double log_upper = std::min(proven_log_total_variation(curve), best.value);
  const bool by_total_variation = log_upper < best.value;
  const double upper = std::min(1.0, raised(std::exp(log_upper), 4 * unit * (1 + std::abs(log_upper))));
  return {bound(upper, by_total_variation ? order_of_total_variation : best.order, plan_curve.theorems), log_upper};
}

Rounds rounds(const Plan& plan, double epsilon, double delta) {
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  const double log_delta = std::log(delta);
  const PlanCurve plan_curve = curve_of(plan);
  const CurvePtr round = plan_curve.curve;
  std::vector<std::string> theorems = plan_curve.theorems;
  if (std::ranges::find(theorems, composition_theorem) == theorems.end()) theorems.emplace_back(composition_theorem);
  const auto spent = [&](std::uint64_t count) {
    return epsilon_of(*composed_curve({{static_cast<double>(count), round}}), delta);
  };
  const auto fits = [&](std::uint64_t count) { return count == 0 || spent(count).epsilon <= epsilon; };
  const auto as_bound = [&](std::uint64_t count) {
    const EpsilonAtOrder found = spent(count);
    return bound(found.epsilon, found.order, theorems);
  };
  if (fits(ranges::max_count)) return {ranges::max_count, true, as_bound(ranges::max_count), {}};

  // At a fixed order the composed epsilon is linear in the number of rounds, so one search over orders finds the order
  // that allows most.
  const double by_total_variation = -std::log1p(-delta * delta) / (*round)(order_of_total_variation);
  const double by_order =
      -best_order([&](double order) { return (conversion_cost(order, log_delta) - epsilon) / (*round)(order); }).value;
  const double most = std::max({0.0, by_order, by_total_variation, epsilon / round->at_infinity()});
  // The accountant itself decides about the counts next to that.
  const auto start = static_cast<std::uint64_t>(std::min(most, static_cast<double>(ranges::max_count - 1)));
  const std::uint64_t count = solve::largest_that_fits(start, ranges::max_count, fits);
  return {count, false, as_bound(count), as_bound(count + 1)};
}

}  // namespace dpbudget::renyi
