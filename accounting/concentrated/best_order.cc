#include "dpbudget/accounting/concentrated/best_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/numeric/certified_root.h"

namespace dpbudget::concentrated {
namespace {

// The root of an increasing function of log t between two values of t that bracket it, up to rounding.
template <class Function>
double root_between(double low, double high, const Function& increasing) {
  const auto at = [&](double log_t) { return increasing(std::exp(log_t)); };
  const numeric::RootPrecision precision{.absolute = 1e-11};
  return std::exp(numeric::certified_root(at, std::log(low), std::log(high), precision).middle());
}

}  // namespace

double best_excess_order_for_epsilon(double rho, double log_delta) {
  const double cost = -log_delta;
  // At the root neither term exceeds the cost, and one of them is at least half of it.
  const double high = std::min(std::sqrt(cost) / std::sqrt(rho), std::expm1(cost));
  const double low = std::min(std::sqrt(cost / 2) / std::sqrt(rho), std::expm1(cost / 2));
  return root_between(low, high, [&](double t) { return rho * t * t + std::log1p(t) - cost; });
}

double best_excess_order_for_delta(double rho, double epsilon) {
  constexpr double least = 1e-300;
  constexpr double greatest = 1e308;
  const double over = epsilon - rho;
  // 0 < log(1 + 1/t) < 1/t: so the root is below that of 2 rho t - 1/t = over, and then log(1 + 1/t) = 2 rho t - over
  // is at most 2 rho high - over = 1/high.
  const double root = std::hypot(over, std::sqrt(8.0) * std::sqrt(rho));
  const double high = over > 0 ? over / 4 / rho + root / 4 / rho : 2 / (root - over);
  const double low = 1 / std::expm1(1 / high);
  return root_between(std::clamp(low, least, greatest), std::clamp(high, least, greatest),
                      [&](double t) { return 2 * rho * t - std::log1p(1 / t) - over; });
}

}  // namespace dpbudget::concentrated
