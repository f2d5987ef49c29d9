#include "dpbudget/accounting/solve/alone.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::solve {

// Delta, which is asked for from above alone, takes less than epsilon.
Budget::Asked Budget::asked(const Plan& known) const {
  const double of_delta = beyond_delta(known);
  if (of_delta > 0) return {Refusal{}, of_delta};
  const auto accountant = make_accountant(name, known, tolerance);
  Answer<Bound> spent = accountant ? (*accountant)->epsilon(1, delta) : accountant.error();
  const double of_epsilon = beyond_epsilon(spent);
  return {std::move(spent), of_epsilon};
}

double Budget::beyond(const Plan& known, const Answer<Bound>& spent) const {
  const double of_epsilon = beyond_epsilon(spent);
  return of_epsilon > 0 ? of_epsilon : beyond_delta(known);
}

double Budget::beyond_epsilon(const Answer<Bound>& spent) const {
  if (!spent) return infinity;
  if (spent->upper <= epsilon) return 0;
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
