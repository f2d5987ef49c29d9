#include "dpbudget/accounting/solve/alone.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::solve {

// Delta, which is asked for from above alone, takes less than epsilon.
Budget::Asked Budget::asked(const Plan& known) const {
  const auto accountant = make_accountant(name, known, tolerance);
  if (!accountant) return {accountant.error(), infinity};
  const double of_delta = beyond_delta(known);
  if (of_delta > 0) return {Refusal{}, of_delta};
  Answer<Bound> spent = (*accountant)->epsilon(1, delta);
  const double of_epsilon = spent && spent->upper <= epsilon ? 0 : beyond(known, spent);
  return {std::move(spent), of_epsilon};
}

double Budget::beyond(const Plan& known, const Answer<Bound>& spent) const {
  if (!spent) return infinity;
  if (spent->upper <= epsilon) return beyond_delta(known);
  return epsilon > 0 ? spent->upper / epsilon - 1 : infinity;
}

// Of a Gaussian the logarithm of delta is about -(noise epsilon)^2 / 2.
double Budget::beyond_delta(const Plan& known) const {
  if (delta == 0) return 0;
  const auto accountant = make_accountant(name, known, tolerance);
  if (!accountant) return infinity;
  const Answer<double> excess = (*accountant)->log_excess_of_delta(1, epsilon, delta);
  return excess ? *excess / std::max(1.0, -2 * std::log(delta)) : 0;
}

}  // namespace dpbudget::solve
