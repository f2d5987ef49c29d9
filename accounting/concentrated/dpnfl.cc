#include "dpbudget/accounting/concentrated/dpnfl.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/concentrated/amplification.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::concentrated {
namespace {

using numeric::raised;
using numeric::unit;

void check_count(std::string_view name, double value) {
  require(1 <= value && value <= 0x1p53 && value == std::floor(value), name, value, "an integer in [1, 2^53]");
}

void check_positive(std::string_view name, double value) {
  require(0 < value && std::isfinite(value), name, value, "positive and finite");
}

void check(const Dpnfl& training) {
  check_count("participations", training.participations);
  check_count("local_steps", training.local_steps);
  check_positive("gradient_bound", training.gradient_bound);
  check_count("records", training.records);
  check_count("batch", training.batch);
  require(training.batch <= training.records, "batch", training.batch, "at most records");
}

// rho omega of the whole training, which does not depend on the noise.
double rho_times_omega(const Dpnfl& training) {
  const double rate = training.batch / training.records;
  return 3.25 * training.participations * training.local_steps * rate * rate * -std::log(rate);
}

// The rho for which rho + 2 sqrt(rho cost) is epsilon.
double rho_of_first_branch(double epsilon, double cost) {
  const double root = epsilon / (std::sqrt(cost + epsilon) + std::sqrt(cost));
  return root * root;
}

double noise_std_of_first_branch(const Dpnfl& training, double rho) {
  const double steps = training.participations * training.local_steps;
  return training.gradient_bound / training.records * std::sqrt(26 * steps / rho);
}

// Where epsilon is rho omega + cost / (omega - 1). The difference takes the safe side of both.
double noise_std_of_second_branch(const Dpnfl& training, double epsilon, double cost) {
  const double left = epsilon * (1 - 32 * unit) - rho_times_omega(training) * (1 + 32 * unit);
  if (!(0 < left)) throw Unsupported("epsilon is too close to rho omega for a noise_std in double precision");
  const double omega = 1 + cost / left;
  return training.gradient_bound / training.batch * std::sqrt(8 * omega / std::log(training.records / training.batch));
}

}  // namespace

TruncatedCdp dpnfl_tcdp(const Dpnfl& training, double noise_std) {
  check(training);
  check_positive("noise_std", noise_std);
  const double inverse_noise = training.gradient_bound / training.batch / noise_std;
  const double rho = 2 * inverse_noise * inverse_noise;
  require(rho >= 1e-280, "noise_std", noise_std, "small enough for a step's rho that a double can hold");
  const TruncatedCdp step = tcdp_amplify(training.batch / training.records, {rho, infinity});
  const TruncatedCdp round = repeated(to_integer<std::uint64_t>(training.local_steps, "local_steps"), step);
  return repeated(to_integer<std::uint64_t>(training.participations, "participations"), round);
}

DpnflTheorem5 dpnfl_theorem5(const Dpnfl& training, double noise_std) {
  const TruncatedCdp tcdp = dpnfl_tcdp(training, noise_std);
  const auto [rho, omega] = tcdp;
  return {tcdp, 2 * (rho * omega) - rho, -rho * (omega - 1) * (omega - 1)};
}

double dpnfl_noise_std(const Dpnfl& training, double epsilon, double delta) {
  check(training);
  check_positive("epsilon", epsilon);
  ranges::delta(delta);
  const double cost = -std::log(delta);
  // Names a batch that is too large before its logarithm is divided by.
  tcdp_amplify(training.batch / training.records, {0.01, infinity});

  const double rho = rho_of_first_branch(epsilon, cost);
  const bool is_first_branch = rho + std::sqrt(cost * rho) <= rho_times_omega(training);
  const double solution =
      is_first_branch ? noise_std_of_first_branch(training, rho) : noise_std_of_second_branch(training, epsilon, cost);
  // Each is off by a few units; epsilon falls at least as fast as noise_std grows on the first branch, and the second
  // has taken its margin where it is steep.
  const double noise_std = raised(solution, 32 * unit);
  const auto [spent_rho, omega] = dpnfl_tcdp(training, noise_std);
  if (!(tcdp_to_epsilon(spent_rho, omega, delta) * (1 + 8 * unit) <= epsilon))
    throw Unsupported("epsilon and delta leave no noise_std that double precision can certify");
  return noise_std;
}

}  // namespace dpbudget::concentrated
