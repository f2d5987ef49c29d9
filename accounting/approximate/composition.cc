#include "dpbudget/accounting/approximate/composition.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "dpbudget/accounting/approximate/failure.h"
#include "dpbudget/accounting/approximate/lists.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::approximate {

using numeric::log_add;
namespace {

double kairouz(std::span<const Equal> groups, double slack) {
  double largest = 0;
  for (const Equal& group : groups) largest = std::max(largest, group.count > 0 ? group.epsilon : 0);
  if (largest == 0 || std::isinf(largest)) return largest;
  double sum = 0;
  double mean = 0;
  double squares = 0;  // in units of the largest, which keeps them from under- and overflowing
  for (const auto& [epsilon, count] : groups) {
    sum += count * epsilon;
    mean += count * epsilon * std::tanh(epsilon / 2);
    squares += count * (epsilon / largest) * (epsilon / largest);
  }
  if (slack == 0) return sum;
  const double log_slack = std::log(slack);
  const double log_ratio = std::log(largest) + std::log(squares) / 2 - log_slack;  // of sqrt(Q) / slack
  const double log_sum = log_add(1, log_ratio);
  return std::min(sum, mean + largest * std::sqrt(2 * squares * std::min(log_sum, -log_slack)));
}

}  // namespace

EpsilonDelta basic_composition(std::span<const double> epsilons, std::span<const double> deltas) {
  check_guarantees(epsilons, deltas);
  return {std::accumulate(epsilons.begin(), epsilons.end(), 0.0),
          std::min(1.0, std::accumulate(deltas.begin(), deltas.end(), 0.0))};
}

EpsilonDelta advanced_composition(double epsilon, double delta, double count, double slack) {
  ranges::epsilon(epsilon);
  ranges::release_delta(delta);
  require(0 <= count && count <= 0x1p53 && count == std::floor(count), "count", count, "an integer in [0, 2^53]");
  require(0 < slack && slack <= 1, "slack", slack, "in (0, 1]");
  if (count == 0) return {0, slack};
  const double spread = epsilon * std::sqrt(-2 * count * std::log(slack));
  return {spread + count * epsilon * std::expm1(epsilon), count * delta + slack};
}

double kairouz_heterogeneous_epsilon(std::span<const double> epsilons, double slack) {
  check_epsilons(epsilons);
  require(0 <= slack && slack <= 1, "slack", slack, "in [0, 1]");
  std::vector<Equal> groups;
  groups.reserve(epsilons.size());
  for (const double epsilon : epsilons) groups.push_back({epsilon, 1});
  return kairouz(groups, slack);
}

double kairouz_heterogeneous_log_delta(std::span<const double> deltas, double slack) {
  check_deltas(deltas);
  require(0 <= slack && slack <= 1, "slack", slack, "in [0, 1]");
  std::vector<Failing> failing;
  failing.reserve(deltas.size() + 1);
  for (const double delta : deltas) failing.push_back({delta, 1});
  return with_failures(log_no_failure(failing), std::log(slack));
}

double kairouz_heterogeneous_epsilon_bound(std::span<const Equal> groups, double slack) {
  // All terms are positive; each sum is off by a unit for every term at most, and a root halves that.
  return numeric::raised(kairouz(groups, slack), numeric::unit * (16 + static_cast<double>(groups.size())));
}

}  // namespace dpbudget::approximate
