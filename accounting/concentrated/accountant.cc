#include "dpbudget/accounting/concentrated/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/concentrated/account_of.h"
#include "dpbudget/accounting/concentrated/best_order.h"
#include "dpbudget/accounting/numeric/exponential.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::concentrated {
namespace {

using numeric::unit;

// An order below omega, less 1: the difference rounded down.
double within(double omega, double best) { return std::min(best, std::nextafter(omega - 1, 0.0)); }

// The conversion at order 1 + t, raised by 8 units of the sum of its terms' magnitudes.
// accounting/concentrated/proofs.md, 2.2
double proven_epsilon(double rho, double t, double log_delta) {
  const double gain = std::log1p(1 / t);
  const double log_order = std::log1p(t);
  const double value = rho * (1 + t) - gain - (log_delta + log_order) / t;
  const double magnitude = rho * (1 + t) + gain + (log_order - log_delta) / t;
  return std::max(0.0, value + 8 * unit * magnitude);
}

// accounting/concentrated/proofs.md, 5.1
double proven_log_delta(double rho, double t, double epsilon) {
  const double gain = std::log1p(1 / t);
  const double log_order = std::log1p(t);
  const double value = t * (rho * (1 + t) - epsilon - gain) - log_order;
  const double magnitude = t * (rho * (1 + t) + epsilon + gain) + log_order;
  return std::min(0.0, value + 8 * unit * magnitude);
}

Bound bound(double upper, double t, const Account& account) {
  std::vector<std::string> theorems = account.theorems;
  if (t > 0)
    theorems.push_back(fmt::format("conversion at order {:.6g}: Canonne, Kamath, Steinke 2020, Proposition 12", 1 + t));
  Bound proven{.lower = 0,
               .upper = upper,
               .guarantee = Guarantee::proven,
               .theorems = std::move(theorems),
               .notes = {},
               .accountant = "concentrated"};
  if (t > 0)
    proven.witnesses.upper = witness::ConcentratedOrder{account.tcdp.rho, account.tcdp.omega, t};
  else if (account.tcdp.rho == 0)
    proven.witnesses.upper = witness::LargestLoss{0};
  if (std::isinf(upper) || std::isinf(account.tcdp.rho))
    proven.notes.emplace_back("no order gives a bound that a double can hold");
  return proven;
}

}  // namespace

Bound Accountant::epsilon(std::uint64_t count, double delta) const {
  ranges::delta(delta);
  const Account account = repeated(count, once_);
  const auto [rho, omega] = account.tcdp;
  if (rho == 0 || std::isinf(rho)) return bound(rho, 0, account);
  const double log_delta = std::log(delta);
  const double t = within(omega, best_excess_order_for_epsilon(rho, log_delta));
  return bound(proven_epsilon(rho, t, log_delta), t, account);
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) const {
  ranges::epsilon(epsilon);
  const Account account = repeated(count, once_);
  const auto [rho, omega] = account.tcdp;
  if (rho == 0) return {bound(0, 0, account), -infinity, -infinity};
  if (std::isinf(rho)) return {bound(1, 0, account), -infinity, 0};
  // A smaller order serves as well where the logarithm would leave the range of a double.
  const double t = std::min(within(omega, best_excess_order_for_delta(rho, epsilon)), 1e280 / (1 + rho + epsilon));
  const double log_upper = proven_log_delta(rho, t, epsilon);
  const double upper = std::min(1.0, numeric::exp_up(log_upper, 4 * unit * (1 + std::abs(log_upper))));
  return {bound(upper, t, account), -infinity, log_upper};
}

Bound epsilon(const NormalPlan& plan, double delta) {
  ranges::delta(delta);
  return Accountant(plan).epsilon(1, delta);
}

DeltaBound delta(const NormalPlan& plan, double epsilon) {
  ranges::epsilon(epsilon);
  return Accountant(plan).delta(1, epsilon);
}

}  // namespace dpbudget::concentrated
