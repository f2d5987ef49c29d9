#include "dpbudget/accounting/approximate/heterogeneous.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "dpbudget/accounting/approximate/combination_sum.h"
#include "dpbudget/accounting/approximate/failure.h"
#include "dpbudget/accounting/approximate/lists.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/accountant.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::approximate {
namespace {

using numeric::unit;

void check_total_epsilon(double total_epsilon) {
  require(0 <= total_epsilon && std::isfinite(total_epsilon), "total_epsilon", total_epsilon, "finite and at least 0");
}

Combinations few(std::span<const double> epsilons) {
  const double number = combinations(epsilons);
  if (!(number <= most_combinations))
    throw Unsupported(
        fmt::format("epsilons give {:.3g} combinations of outcomes, but the exact sum takes at most 2^22; the bracket "
                    "by privacy-loss "
                    "distributions takes any number",
                    number));
  return Combinations(epsilons);
}

std::vector<Failing> failing(std::span<const double> deltas) {
  std::vector<Failing> each;
  each.reserve(deltas.size());
  for (const double delta : deltas) each.push_back({delta, 1});
  return each;
}

// Equal mechanisms together, each with the probability of its own pair.
Plan plan_of(std::span<const double> epsilons, std::span<const double> deltas) {
  std::map<std::pair<double, double>, std::uint64_t> counts;
  for (std::size_t i = 0; i < epsilons.size(); ++i) ++counts[{epsilons[i], deltas[i]}];
  std::vector<Event> parts;
  parts.reserve(counts.size());
  for (const auto& [guarantee, count] : counts)
    parts.push_back(repeat(count, ApproximateDp{guarantee.first, guarantee.second}));
  return {compose(std::move(parts)), Adjacency::add_or_remove_one};
}

}  // namespace

double combinations(std::span<const double> epsilons) {
  std::map<double, double> counts;
  for (const double epsilon : epsilons)
    if (epsilon > 0) ++counts[epsilon];
  double number = 1;
  for (const auto& [epsilon, count] : counts) number *= count + 1;
  return number;
}

double optimal_composition_heterogeneous_log_delta(std::span<const double> epsilons, std::span<const double> deltas,
                                                   double total_epsilon) {
  check_guarantees(epsilons, deltas);
  check_total_epsilon(total_epsilon);
  return with_failures(log_no_failure(failing(deltas)), few(epsilons).log_delta(total_epsilon));
}

numeric::Bracket optimal_composition_heterogeneous_log_delta_bracket(std::span<const double> epsilons,
                                                                     std::span<const double> deltas,
                                                                     double total_epsilon) {
  check_guarantees(epsilons, deltas);
  check_total_epsilon(total_epsilon);
  return with_failures_bracket(log_no_failure(failing(deltas)), few(epsilons).log_delta_bracket(total_epsilon));
}

double optimal_composition_heterogeneous_epsilon(std::span<const double> epsilons, std::span<const double> deltas,
                                                 double total_delta) {
  check_guarantees(epsilons, deltas);
  require(0 <= total_delta && total_delta <= 1, "total_delta", total_delta, "in [0, 1]");
  const Allowed wanted = allowed(failing(deltas), total_delta);
  if (wanted.is_impossible) return infinity;
  const Combinations sum = few(epsilons);
  const auto excess = [&](double total_epsilon) { return sum.log_delta(total_epsilon) - wanted.log_s; };
  const double at_zero = excess(0);
  if (!(at_zero > 0)) return 0;
  if (std::isinf(wanted.log_s)) return sum.largest_loss();
  // Above the second largest loss there is one term.
  const double last = std::max(0.0, sum.second_loss());
  const double at_last = last > 0 ? excess(last) : at_zero;
  if (at_last >= 0) {
    const double share = std::exp(wanted.log_s - sum.log_mass_at_top());
    return std::max(last, sum.largest_loss() + std::log1p(-std::min(share, 1.0)));
  }
  return numeric::certified_root(excess, {0, at_zero}, {last, at_last}, numeric::RootPrecision{.relative = 0x1p-49})
      .middle();
}

double optimal_composition_heterogeneous_epsilon_bound(std::span<const double> epsilons, std::span<const double> deltas,
                                                       double total_delta) {
  const double found = optimal_composition_heterogeneous_epsilon(epsilons, deltas, total_delta);
  double top = 0;
  for (const double epsilon : epsilons) top = numeric::add_up(top, epsilon);
  if (total_delta == 0) return std::ranges::all_of(deltas, [](double delta) { return delta == 0; }) ? top : infinity;
  const double log_target = std::log(total_delta) - unit * (1 + std::abs(std::log(total_delta)));
  const Combinations sum = few(epsilons);
  const double log_none = log_no_failure(failing(deltas));
  const auto holds = [&](double total_epsilon) {
    return with_failures_bracket(log_none, sum.log_delta_bracket(total_epsilon)).upper <= log_target;
  };
  if (found < top && holds(found)) return found;
  for (double step = 0x1p-40 * (found + 0x1p-10 * top); found + step < top; step *= 8)
    if (holds(found + step)) return found + step;
  // At the sum of all epsilons only failures are left.
  const bool holds_at_top = with_failures_bracket(log_none, {-infinity, -infinity}).upper <= log_target;
  return std::isfinite(top) && holds_at_top ? top : infinity;
}

DeltaBound optimal_composition_heterogeneous_delta_bracket(std::span<const double> epsilons,
                                                           std::span<const double> deltas, double total_epsilon,
                                                           double tolerance) {
  check_guarantees(epsilons, deltas);
  return loss_distribution::Accountant(plan_of(epsilons, deltas), tolerance).delta(1, total_epsilon);
}

Bound optimal_composition_heterogeneous_epsilon_bracket(std::span<const double> epsilons,
                                                        std::span<const double> deltas, double total_delta,
                                                        double tolerance) {
  check_guarantees(epsilons, deltas);
  return loss_distribution::Accountant(plan_of(epsilons, deltas), tolerance).epsilon(1, total_delta);
}

}  // namespace dpbudget::approximate
