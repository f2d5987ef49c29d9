#include "dpbudget/accounting/solve/alone.h"

namespace dpbudget::solve {

std::optional<Bound> Budget::spent_inside(const Plan& known) const {
  const auto asked = make_accountant(name, known, tolerance);
  if (!asked) return std::nullopt;
  const Answer<Bound> spent = (*asked)->epsilon(1, delta);
  if (!spent || !is_inside(known, *spent)) return std::nullopt;
  return *spent;
}

bool Budget::is_inside(const Plan& known, const Bound& spent) const {
  if (!(spent.upper <= epsilon)) return false;
  if (delta == 0) return true;
  const auto asked = make_accountant(name, known, tolerance);
  if (!asked) return false;
  const Answer<bool> is_within = (*asked)->is_delta_within(1, epsilon, delta);
  return !is_within || is_within.value();
}

}  // namespace dpbudget::solve
