#include "dpbudget/accounting/concentrated/tcdp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/concentrated/best_order.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::concentrated {
namespace {

// Near the floor of 0 the optimal conversions are small differences of large terms: eleven bits more than double's.
using numeric::Extended;
namespace extended = numeric::extended;

void check(double rho, double omega) {
  require(0 <= rho && std::isfinite(rho), "rho", rho, "finite and at least 0");
  require(1 < omega, "omega", omega, "above 1");
}

// What releases nothing does so at every order.
TruncatedCdp normalised(double rho, double omega) { return {rho, rho == 0 ? infinity : omega}; }

// The order less 1. An error of `best` counts only by its square; one of omega - 1 would count in full.
Extended order_within(double omega, double best) { return best < omega - 1 ? Extended(best) : Extended(omega) - 1; }

}  // namespace

// accounting/concentrated/proofs.md, 3.1
TruncatedCdp composed(const TruncatedCdp& first, const TruncatedCdp& second) {
  return normalised(numeric::add_up(first.rho, second.rho), std::min(first.omega, second.omega));
}

TruncatedCdp repeated(std::uint64_t count, const TruncatedCdp& once) {
  ranges::count(count);
  return normalised(numeric::multiply_up(static_cast<double>(count), once.rho), once.omega);
}

TruncatedCdp group(const TruncatedCdp& single, std::uint64_t group_size) {
  check(single.rho, single.omega);
  require(1 <= group_size, "group_size", group_size, "at least 1");
  const auto size = static_cast<double>(group_size);
  if (!(1 < single.omega / size))
    throw Unsupported(fmt::format("group privacy of tCDP needs omega / group_size above 1, but {:.17g} / {} is {:.17g}",
                                  single.omega, group_size, single.omega / size));
  return {size * size * single.rho, single.omega / size};
}

double tcdp_to_epsilon(double rho, double omega, double delta) {
  check(rho, omega);
  ranges::delta(delta);
  if (rho == 0) return 0;
  const double cost = -std::log(delta);
  const double root = std::sqrt(rho) * std::sqrt(cost);
  // (omega-1)^2 may leave the range of a double where its product with rho does not.
  return std::sqrt(cost) <= (omega - 1) * std::sqrt(rho) ? rho + 2 * root : rho * omega + cost / (omega - 1);
}

double tcdp_to_log_delta(double rho, double omega, double epsilon) {
  check(rho, omega);
  ranges::epsilon(epsilon);
  if (rho == 0) return -infinity;
  if (epsilon <= rho) return 0;
  if (epsilon - rho <= 2 * (omega - 1) * rho) {
    const double root = (epsilon - rho) / 2 / std::sqrt(rho);
    return -root * root;
  }
  return (omega - 1) * std::fma(rho, omega, -epsilon);
}

double tcdp_to_epsilon_optimal(double rho, double omega, double delta) {
  check(rho, omega);
  ranges::delta(delta);
  if (rho == 0) return 0;
  const Extended t = order_within(omega, best_excess_order_for_epsilon(rho, std::log(delta)));
  const Extended value =
      rho * (1 + t) - extended::log1p(1 / t) - (extended::log(Extended(delta)) + extended::log1p(t)) / t;
  return std::max(0.0, static_cast<double>(value));
}

double tcdp_to_log_delta_optimal(double rho, double omega, double epsilon) {
  check(rho, omega);
  ranges::epsilon(epsilon);
  if (rho == 0) return -infinity;
  const Extended t = order_within(omega, best_excess_order_for_delta(rho, epsilon));
  const Extended value = t * (rho * (1 + t) - epsilon - extended::log1p(1 / t)) - extended::log1p(t);
  return std::min(0.0, static_cast<double>(value));
}

}  // namespace dpbudget::concentrated
