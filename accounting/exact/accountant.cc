#include "dpbudget/accounting/exact/accountant.h"

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/exact/composed_gaussian.h"
#include "dpbudget/accounting/exact/shuffled.h"

namespace dpbudget::exact {

Accountant::Accountant(const NormalPlan& plan) : plan_(plan) {
  if (const auto* shuffled = std::get_if<Shuffled>(&plan_.event()))
    require_shuffled_theorem(*shuffled, plan_.adjacency());
  else
    require_gaussians(plan_);
}

Bound Accountant::epsilon(std::uint64_t count, double delta) const {
  ranges::count(count);
  const NormalPlan all = plan_.repeated(count);
  const auto* shuffled = std::get_if<Shuffled>(&all.event());
  Bound bound =
      shuffled != nullptr ? shuffled_epsilon(*shuffled, all.adjacency(), delta) : composed_gaussian_epsilon(all, delta);
  bound.accountant = "exact";
  return bound;
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) const {
  ranges::count(count);
  const NormalPlan all = plan_.repeated(count);
  const auto* shuffled = std::get_if<Shuffled>(&all.event());
  DeltaBound found =
      shuffled != nullptr ? shuffled_delta(*shuffled, all.adjacency(), epsilon) : composed_gaussian_delta(all, epsilon);
  found.bound.accountant = "exact";
  return found;
}

}  // namespace dpbudget::exact
