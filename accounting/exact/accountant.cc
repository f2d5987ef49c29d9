#include "dpbudget/accounting/exact/accountant.h"

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/exact/composed_gaussian.h"
#include "dpbudget/accounting/exact/shuffled.h"

namespace dpbudget::exact {

Accountant::Accountant(const Plan& plan) : plan_(plan), shuffled_(lone_shuffle(plan.event)) {
  check(plan.event);
  if (shuffled_)
    require_shuffled_theorem(*shuffled_, plan.adjacency);
  else
    require_gaussians(plan.event);
}

Bound Accountant::epsilon(std::uint64_t count, double delta) const {
  ranges::count(count);
  Bound bound = shuffled_ && count == 1 ? shuffled_epsilon(*shuffled_, plan_.adjacency, delta)
                                        : composed_gaussian_epsilon(repeat(count, plan_.event), delta);
  bound.accountant = "exact";
  return bound;
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) const {
  ranges::count(count);
  DeltaBound found = shuffled_ && count == 1 ? shuffled_delta(*shuffled_, plan_.adjacency, epsilon)
                                             : composed_gaussian_delta(repeat(count, plan_.event), epsilon);
  found.bound.accountant = "exact";
  return found;
}

}  // namespace dpbudget::exact
