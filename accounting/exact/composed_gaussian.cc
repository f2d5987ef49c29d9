#include "dpbudget/accounting/exact/composed_gaussian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/profile/gaussian.h"

namespace dpbudget::exact {
namespace {

double noise(const Event& event, Rounding rounding) {
  const auto found = gaussian_noise(event, rounding);
  if (!found)
    throw Unsupported(fmt::format("there is no closed form for `{}`: it takes compositions of Gaussians alone",
                                  shortened_text(event)));
  return *found;
}

Bound resting_on(std::vector<std::string> theorems) {
  return {.lower = 0, .upper = 0, .guarantee = Guarantee::proven, .theorems = std::move(theorems), .notes = {}};
}

Bound nothing() {
  Bound bound = resting_on({"nothing is released: by definition"});
  bound.witnesses = {witness::LargestLoss{0}, witness::LargestLoss{0}};
  return bound;
}

// Of that noise, where the losses are N(mu^2/2, mu^2).
Witness root_at(double epsilon, double noise) {
  const double mu = 1 / noise;
  return witness::NormalRoot{mu, epsilon * noise + mu / 2};
}

Bound of_gaussians(const Event& event) {
  std::vector<std::string> theorems = {"Gaussian: Balle, Wang 2018, Theorem 8"};
  if (std::holds_alternative<GaussianDp>(event))
    theorems.emplace_back("Gaussian DP: Dong, Roth, Su 2019, Corollary 2.13");
  else if (!std::holds_alternative<Gaussian>(event))
    theorems.emplace_back("composition: Dong, Roth, Su 2019, Corollary 3.3");
  return resting_on(std::move(theorems));
}

}  // namespace

void require_gaussians(const NormalPlan& plan) {
  if (!plan.is_nothing()) noise(plan.event(), Rounding::down);
}

Bound composed_gaussian_epsilon(const NormalPlan& plan, double delta) {
  ranges::delta(delta);
  if (plan.is_nothing()) return nothing();
  Bound bound = of_gaussians(plan.event());
  const double least_noise = noise(plan.event(), Rounding::down);
  const double most_noise = noise(plan.event(), Rounding::up);
  bound.upper = profile::gaussian_epsilon_bound(least_noise, delta).upper;
  bound.lower = profile::gaussian_epsilon_bound(most_noise, delta).lower;
  bound.witnesses = {root_at(bound.lower, most_noise), root_at(bound.upper, least_noise)};
  return bound;
}

DeltaBound composed_gaussian_delta(const NormalPlan& plan, double epsilon) {
  ranges::epsilon(epsilon);
  if (plan.is_nothing()) return {nothing(), -infinity, -infinity};
  DeltaBound found{of_gaussians(plan.event()), -infinity, -infinity};
  const double least_noise = noise(plan.event(), Rounding::down);
  const double most_noise = noise(plan.event(), Rounding::up);
  found.log_upper = profile::gaussian_log_delta_bound(least_noise, epsilon).upper;
  found.log_lower = profile::gaussian_log_delta_bound(most_noise, epsilon).lower;
  found.bound.witnesses = {root_at(epsilon, most_noise), root_at(epsilon, least_noise)};
  found.bound.upper = std::min(1.0, numeric::exp_up(found.log_upper, 0x1p-49));
  found.bound.lower = numeric::exp_down(found.log_lower, 0x1p-49);
  return found;
}

}  // namespace dpbudget::exact
