#include "dpbudget/accounting/renyi/conversion.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::renyi {
namespace {

void check(double order, double rdp) {
  ranges::order(order);
  require(0 <= rdp && std::isfinite(rdp), "rdp", rdp, "finite and at least 0");
}

}  // namespace

double log_conversion_gain(double order) {
  return order < 2 ? std::log(order - 1) - std::log(order) : std::log1p(-1 / order);
}

double to_epsilon_mironov(double order, double rdp, double delta) {
  check(order, rdp);
  ranges::delta(delta);
  return rdp - std::log(delta) / (order - 1);
}

double to_epsilon_canonne(double order, double rdp, double delta) {
  check(order, rdp);
  ranges::delta(delta);
  return std::max(0.0, rdp + log_conversion_gain(order) - (std::log(delta) + std::log(order)) / (order - 1));
}

double to_log_delta_mironov(double order, double rdp, double epsilon) {
  check(order, rdp);
  ranges::epsilon(epsilon);
  return std::min(0.0, (order - 1) * (rdp - epsilon));
}

double to_log_delta_canonne(double order, double rdp, double epsilon) {
  check(order, rdp);
  ranges::epsilon(epsilon);
  return std::min(0.0, (order - 1) * (rdp - epsilon + log_conversion_gain(order)) - std::log(order));
}

// accounting/renyi/proofs.md, 6.2
double to_log_total_variation(double rdp) {
  require(0 <= rdp, "rdp", rdp, "at least 0");
  return 0.5 * std::log(-std::expm1(-rdp));
}

}  // namespace dpbudget::renyi
