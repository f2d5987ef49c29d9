#include "dpbudget/accounting/base/bound.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <stdexcept>

namespace dpbudget {

std::string joined(const std::vector<std::string>& theorems) { return fmt::format("{}", fmt::join(theorems, "; ")); }

void check_consistency(const Bound& bound) {
  if (bound.lower > bound.upper)
    throw std::logic_error(fmt::format(
        "the proven bounds {} and {} exclude each other: this is a defect in dpbudget, please report the plan",
        bound.lower, bound.upper));
}

void check_consistency(const DeltaBound& found) {
  check_consistency(found.bound);
  // A delta is not 0 for being beyond a double.
  if (found.bound.upper == 0 && std::isfinite(found.log_upper))
    throw std::logic_error(fmt::format(
        "the delta whose logarithm is at most {} is said to be 0: this is a defect in dpbudget, please report the plan",
        found.log_upper));
}

}  // namespace dpbudget
