#include "dpbudget/accounting/filter/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/concentrated/account_of.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/renyi/curve_of.h"

namespace dpbudget::filter {

using numeric::add_up;
using numeric::multiply_up;
using numeric::unit;
namespace {

// All that a budget allows is what one release of as much allows.
Event release_of(const Measure& measure, double budget) {
  return std::visit(
      Overloaded{[&](const AtOrder& at) -> Event { return RenyiDp{{{at.order, budget}}}; },
                 [&](const ZeroConcentrated&) -> Event { return ConcentratedDp{budget}; },
                 [&](const Gaussians&) -> Event { return Gaussian{1 / std::sqrt(budget) * (1 - 2 * unit)}; }},
      measure);
}

std::string theorem_of(const Measure& measure) {
  return std::visit(
      Overloaded{[](const AtOrder& at) {
                   return fmt::format(
                       "filter by the Rényi divergence of order {}: Feldman, Zrnic 2021, Theorem 4.3; "
                       "Lécuyer 2021",
                       at.order);
                 },
                 [](const ZeroConcentrated&) {
                   return std::string("filter by zCDP: Whitehouse, Ramdas, Rogers, Wu 2023, Theorem 1");
                 },
                 [](const Gaussians&) {
                   return std::string("filter by Gaussian DP: Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2022");
                 }},
      measure);
}

Bound bound_of(const Measure& measure, double budget, double delta, Adjacency adjacency) {
  const AccountantName name = std::holds_alternative<Gaussians>(measure) ? AccountantName::exact : AccountantName::best;
  return make_accountant(name, Plan{release_of(measure, budget), adjacency}).value()->epsilon(1, delta).value();
}

// What a budget may be; more of it is no more than an epsilon that is infinite.
constexpr double least_budget = 1e-300;
constexpr double most_budget = 1e300;

// What keeps to it keeps to any larger epsilon, and mechanisms of that are no longer told apart by their noise.
constexpr double most_epsilon = 1e100;

// The largest budget that is proven to keep to epsilon; 0 where none does.
double largest_budget(const Measure& measure, double epsilon, double delta, Adjacency adjacency) {
  const auto excess = [&](double log_budget) {
    return bound_of(measure, std::exp(log_budget), delta, adjacency).upper - epsilon;
  };
  const numeric::Bracket root = numeric::certified_root(excess, std::log(least_budget), std::log(most_budget));
  return excess(root.lower) <= 0 ? std::exp(root.lower) : 0;
}

}  // namespace

Filter::Filter(const Measure& measure, double epsilon, double delta, Adjacency adjacency)
    : measure_(measure), adjacency_(adjacency) {
  require(0 < epsilon && std::isfinite(epsilon), "epsilon", epsilon, "positive and finite");
  ranges::delta(delta);
  const auto* at = std::get_if<AtOrder>(&measure);
  if (at != nullptr) ranges::order(at->order);
  budget_ = largest_budget(measure, std::min(epsilon, most_epsilon), delta, adjacency);
  require(budget_ > 0, at != nullptr ? "order" : "epsilon", at != nullptr ? at->order : epsilon,
          fmt::format("large enough that something is within epsilon {} at delta {}", epsilon, delta));
  guarantee_ = bound_of(measure, budget_, delta, adjacency);
  guarantee_.lower = 0;
  guarantee_.accountant = "filter";
  guarantee_.theorems.insert(guarantee_.theorems.begin(), theorem_of(measure));
  guarantee_.notes = {
      "holds where noise, rates and numbers of releases are chosen by what was released before, as long as the filter "
      "lets each of them through"};
}

Event Filter::equivalent() const { return release_of(measure_, budget_); }

double Filter::measured(const Event& release, std::uint64_t count) const {
  ranges::count(count);
  const NormalPlan plan(release, adjacency_);
  if (count == 0 || plan.is_nothing()) return 0;
  const auto times = static_cast<double>(count);
  return std::visit(
      Overloaded{[&](const AtOrder& at) { return multiply_up(times, (*renyi::curve_of(plan).curve)(at.order)); },
                 [&](const ZeroConcentrated&) {
                   const concentrated::Account account = concentrated::account_of(plan);
                   if (std::isfinite(account.tcdp.omega))
                     refuse("filter", plan.event(), adjacency_, "it is zCDP up to some order only; filter at an order");
                   return multiply_up(times, account.tcdp.rho);
                 },
                 [&](const Gaussians&) {
                   const auto noise = gaussian_noise(plan.event(), Rounding::down);
                   if (!noise)
                     refuse(
                         "filter", plan.event(), adjacency_,
                         "the filter for Gaussians takes them alone, without sampling; filter at an order, or by zCDP");
                   return times / *noise / *noise * (1 + 4 * unit);
                 }},
      measure_);
}

bool Filter::spend(const Event& release, std::uint64_t count) {
  const double together = add_up(used_, measured(release, count));
  if (!(together <= budget_)) return false;
  used_ = together;
  return true;
}

}  // namespace dpbudget::filter
