#include "dpbudget/accounting/accountants/best_of.h"

#include <algorithm>
#include <cmath>

namespace dpbudget {

std::vector<AccountantName> best_members(bool is_shuffled) {
  std::vector<AccountantName> names = {AccountantName::exact, AccountantName::contour};
  // It alone takes (epsilon, delta)-DP randomisers, and it knows what no mesh shows: that shuffling is never worse than
  // the local guarantee. Before the meshes, which may be narrow enough to be the last asked.
  if (is_shuffled) names.push_back(AccountantName::approximate);
  names.insert(names.end(), {AccountantName::loss_distribution, AccountantName::renyi, AccountantName::concentrated});
  return names;
}

void merge(Bound& best, Bound other) {
  if (other.upper < best.upper) std::swap(best, other);
  best.lower = std::max(best.lower, other.lower);
}

void merge(DeltaBound& best, DeltaBound other) {
  // Deltas that a double cannot hold differ in their logarithms alone.
  if (other.log_upper < best.log_upper) std::swap(best, other);
  best.bound.lower = std::max(best.bound.lower, other.bound.lower);
  best.log_lower = std::max(best.log_lower, other.log_lower);
}

bool is_narrow(const Bound& bound, double tolerance) {
  return std::isfinite(bound.upper) && bound.upper - bound.lower <= tolerance * bound.upper;
}

bool is_narrow(const DeltaBound& found, double tolerance) {
  return std::isinf(found.log_upper) || -std::expm1(found.log_lower - found.log_upper) <= tolerance;
}

}  // namespace dpbudget
