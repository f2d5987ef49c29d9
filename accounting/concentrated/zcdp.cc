#include "dpbudget/accounting/concentrated/zcdp.h"

#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/concentrated/tcdp.h"

namespace dpbudget::concentrated {
double zcdp_to_epsilon(double rho, double delta) { return tcdp_to_epsilon(rho, infinity, delta); }

double zcdp_to_log_delta(double rho, double epsilon) { return tcdp_to_log_delta(rho, infinity, epsilon); }

double zcdp_to_epsilon_optimal(double rho, double delta) { return tcdp_to_epsilon_optimal(rho, infinity, delta); }

double zcdp_to_log_delta_optimal(double rho, double epsilon) {
  return tcdp_to_log_delta_optimal(rho, infinity, epsilon);
}

double gaussian_rho(double noise_multiplier) {
  ranges::noise_multiplier(noise_multiplier);
  return 0.5 / noise_multiplier / noise_multiplier;
}

double pure_rho(double epsilon) {
  ranges::epsilon(epsilon);
  return epsilon * std::tanh(epsilon / 2);
}

double group_rho(double rho, std::uint64_t group_size) { return group({rho, infinity}, group_size).rho; }

}  // namespace dpbudget::concentrated
