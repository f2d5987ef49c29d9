#include "dpbudget/accounting/renyi/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/best_order.h"
#include "dpbudget/accounting/renyi/composition.h"
#include "dpbudget/accounting/renyi/conversion.h"

namespace dpbudget::renyi {

using numeric::unit;
namespace {

// Proven upper bounds of the conversions: each sum of terms is raised by a few units of its terms' magnitudes.

// What `to_epsilon_canonne` adds to the divergence: negative where the order is large.
double conversion_cost(double order, double log_delta) {
  return log_conversion_gain(order) - (log_delta + std::log(order)) / (order - 1);
}

// What it adds at least at this order and all larger ones. Divergences do not fall in the order, and so no larger order
// can undercut what both say; bounds that may fall get away with less than this constant.
// accounting/renyi/proofs.md, 6.4
double least_cost_beyond(const Curve& curve, double order, double delta) {
  constexpr double from_order_two = -2 * std::numbers::ln2;
  if (order < 2) return -infinity;
  return curve.is_nondecreasing() ? std::max(from_order_two, log_conversion_gain(order) - delta) : from_order_two;
}

// What the logarithm of delta is at least at all larger orders.
// accounting/renyi/proofs.md, 6.4
double least_log_delta_beyond(const Curve& curve, double order, double rdp, double epsilon) {
  if (order < 2) return -infinity;
  if (!curve.is_nondecreasing()) return rdp - 2 * std::numbers::ln2 > epsilon ? 0 : -infinity;
  const double excess = rdp - epsilon + log_conversion_gain(order);
  if (!(excess > 0)) return -infinity;
  return excess * order < 1 ? 1 - excess + std::log(excess) : (order - 1) * excess - std::log(order);
}

// accounting/renyi/proofs.md, 6.2
double proven_epsilon(double order, double rdp, double log_delta) {
  if (!std::isfinite(rdp)) return infinity;
  const double magnitude = rdp - log_conversion_gain(order) + (std::log(order) - log_delta) / (order - 1);
  return std::max(0.0, rdp + conversion_cost(order, log_delta) + 8 * unit * magnitude);
}

// Positive where an order says nothing: capped by the caller, because a search cannot see its way across a plateau.
double proven_log_delta(double order, double rdp, double epsilon) {
  if (!std::isfinite(rdp)) return infinity;
  const double gain = log_conversion_gain(order);
  const double log_delta = (order - 1) * (rdp - epsilon + gain) - std::log(order);
  const double magnitude = (order - 1) * (rdp + epsilon - gain) + std::log(order);
  return log_delta + 8 * unit * magnitude;
}

// Curves do not decrease, so the total variation bound is best at the smallest order; this is near enough.
constexpr double order_of_total_variation = 1 + 0x1p-20;

double proven_log_total_variation(const Curve& curve) {
  const double log_bound = to_log_total_variation(curve(order_of_total_variation));
  return std::isinf(log_bound) ? log_bound : std::min(0.0, log_bound + 16 * unit * (1 + std::abs(log_bound)));
}

std::string conversion_theorem(double order) {
  if (order == order_of_total_variation) return "total variation: Bretagnolle, Huber 1979";
  if (std::isinf(order)) return "order infinity is pure DP: Mironov 2017, Proposition 3";
  return fmt::format("conversion at order {:.6g}: Canonne, Kamath, Steinke 2020, Proposition 12", order);
}

constexpr std::string_view composition_theorem = "composition: Mironov 2017, Proposition 1";

Bound bound(double upper, double order, const PlanCurve& plan_curve) {
  std::vector<std::string> theorems = plan_curve.theorems;
  theorems.push_back(conversion_theorem(order));
  Bound proven{.lower = 0,
               .upper = upper,
               .guarantee = Guarantee::proven,
               .theorems = std::move(theorems),
               .notes = {},
               .accountant = "renyi"};
  const double divergence = std::isinf(order) ? plan_curve.curve->at_infinity() : (*plan_curve.curve)(order);
  proven.witnesses.upper = witness::RenyiOrder{order, divergence};
  if (std::isinf(upper)) proven.notes.emplace_back("no order gives a bound that a double can hold");
  return proven;
}

}  // namespace

EpsilonAtOrder epsilon_of(const Curve& curve, double delta) {
  ranges::delta(delta);
  const double log_delta = std::log(delta);
  if (proven_log_total_variation(curve) < log_delta) return {0, order_of_total_variation};
  const BestOrder best = best_order([&](double order) {
    const double rdp = curve(order);
    return AtOrder{proven_epsilon(order, rdp, log_delta), rdp + least_cost_beyond(curve, order, delta)};
  });
  const double pure = curve.at_infinity();
  return pure <= best.value ? EpsilonAtOrder{pure, infinity} : EpsilonAtOrder{best.value, best.order};
}

PlanCurve Accountant::repeated(std::uint64_t count) const {
  ranges::count(count);
  if (count == 1) return once_;
  PlanCurve repeated{composed_curve({{static_cast<double>(count), once_.curve}}), once_.theorems};
  if (count > 1 && std::ranges::find(repeated.theorems, composition_theorem) == repeated.theorems.end())
    repeated.theorems.emplace_back(composition_theorem);
  return repeated;
}

Bound Accountant::epsilon(std::uint64_t count, double delta) const { return epsilon_bound(repeated(count), delta); }

Bound epsilon_bound(const PlanCurve& plan_curve, double delta) {
  const EpsilonAtOrder found = epsilon_of(*plan_curve.curve, delta);
  return bound(found.epsilon, found.order, plan_curve);
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) const {
  ranges::epsilon(epsilon);
  const PlanCurve plan_curve = repeated(count);
  const Curve& curve = *plan_curve.curve;
  if (curve.at_infinity() <= epsilon) return {bound(0, infinity, plan_curve), -infinity, -infinity};
  const BestOrder best = best_order([&](double order) {
    const double rdp = curve(order);
    return AtOrder{proven_log_delta(order, rdp, epsilon), least_log_delta_beyond(curve, order, rdp, epsilon)};
  });
  const double log_upper = std::min(proven_log_total_variation(curve), best.value);
  const bool by_total_variation = log_upper < best.value;
  const double upper = std::min(1.0, numeric::exp_up(log_upper, 4 * unit * (1 + std::abs(log_upper))));
  return {bound(upper, by_total_variation ? order_of_total_variation : best.order, plan_curve), -infinity, log_upper};
}

Bound epsilon(const NormalPlan& plan, double delta) {
  ranges::delta(delta);
  return Accountant(plan).epsilon(1, delta);
}

DeltaBound delta(const NormalPlan& plan, double epsilon) {
  ranges::epsilon(epsilon);
  return Accountant(plan).delta(1, epsilon);
}

Rounds rounds(const NormalPlan& plan, double epsilon, double delta) {
  ranges::epsilon(epsilon);
  ranges::delta(delta);
  const double log_delta = std::log(delta);
  const Accountant accountant(plan);
  const Curve& round = accountant.once();
  const auto spent = [&](std::uint64_t count) { return accountant.epsilon(count, delta); };
  const auto fits = [&](std::uint64_t count) { return count == 0 || spent(count).upper <= epsilon; };
  if (fits(ranges::max_count)) return {ranges::max_count, true, spent(ranges::max_count), {}};

  // At a fixed order the composed epsilon is linear in the number of rounds, so one search over orders finds the order
  // that allows most.
  const double by_total_variation = -std::log1p(-delta * delta) / round(order_of_total_variation);
  const BestOrder by_order = best_order([&](double order) {
    const double rdp = round(order);
    return AtOrder{(conversion_cost(order, log_delta) - epsilon) / rdp,
                   (least_cost_beyond(round, order, delta) - epsilon) / rdp};
  });
  const double most = std::max({0.0, -by_order.value, by_total_variation, epsilon / round.at_infinity()});
  // The accountant itself decides about the counts next to that.
  const auto start = to_integer<std::uint64_t>(std::min(most, static_cast<double>(ranges::max_count - 1)), "count");
  const std::uint64_t count = numeric::largest_that_fits(start, ranges::max_count, fits);
  return {count, false, spent(count), spent(count + 1)};
}

}  // namespace dpbudget::renyi
