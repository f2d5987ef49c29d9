#include "dpbudget/accounting/profile/subsampled_gaussian.h"

#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/profile/mixture.h"

namespace dpbudget::profile {

double subsampled_gaussian_log_delta(double rate, double mu, double epsilon) {
  ranges::rate(rate);
  require(0 <= mu && std::isfinite(mu), "mu", mu, "finite and at least 0");
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  const double amplified = std::abs(epsilon);
  // The pair is its own reverse, so delta(-e) = 1 - e^-e + e^-e delta(e).
  const double log_value = rate == 0 || mu == 0
                               ? -std::numeric_limits<double>::infinity()
                               : std::log(rate) + gaussian_log_delta(unmixed_loss(rate, amplified), 1 / mu);
  return epsilon >= 0 ? log_value : std::log(-std::expm1(epsilon) + std::exp(epsilon + log_value));
}

}  // namespace dpbudget::profile
