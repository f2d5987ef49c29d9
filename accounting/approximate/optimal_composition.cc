#include "dpbudget/accounting/approximate/optimal_composition.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dpbudget/accounting/approximate/failure.h"
#include "dpbudget/accounting/approximate/responses.h"
#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/certified_root.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::approximate {
namespace {

using numeric::unit;

void check(double epsilon, double delta, double count) {
  ranges::epsilon(epsilon);
  ranges::release_delta(delta);
  require(1 <= count && count <= 0x1p53 && count == std::floor(count), "count", count, "an integer in [1, 2^53]");
}

std::array<Failing, 1> failing(double delta, double count) { return {Failing{delta, count}}; }

// Losses this small are their own delta, but for a relative 1e-30: enlarged by 2^600, s is too.
constexpr double least_losses = 0x1p-700;
constexpr double enlargement = 0x1p600;

bool is_tiny(double epsilon, double count) { return epsilon * count < least_losses; }

double log_response_delta(double epsilon, double count, double total_epsilon) {
  if (epsilon == 0) return -infinity;
  if (!is_tiny(epsilon, count)) return Responses(epsilon, count).log_delta(total_epsilon);
  return Responses(epsilon * enlargement, count).log_delta(total_epsilon * enlargement) - std::log(enlargement);
}

// The total_epsilon at which s is what `wanted` says; s(0) is more than that.
double response_epsilon(const Responses& responses, double count, const Allowed& wanted) {
  const bool by_complement = wanted.log_complement < wanted.log_s;
  const auto excess = [&](double total_epsilon) {
    return by_complement ? wanted.log_complement - responses.log_complement(total_epsilon)
                         : responses.log_delta(total_epsilon) - wanted.log_s;
  };
  const double last = by_complement ? responses.loss(count) : std::max(0.0, responses.loss(count - 1));
  const double at_last = excess(last);
  if (at_last >= 0) {
    // Above the second largest loss there is one term.
    const double share = std::exp(wanted.log_s - responses.log_mass_at_top());
    return std::max(last, responses.loss(count) + std::log1p(-std::min(share, 1.0)));
  }
  // Losses exceed a normal law's quantile rarely more often than they should: a first guess, mostly from above.
  const double step = std::max(responses.loss_deviation(), responses.loss(count) / count / 4) / 4;
  const double quantile = numeric::tail_point(std::exp(std::max(wanted.log_s, -700.0)));
  const double near = std::clamp(responses.mean_loss() + responses.loss_deviation() * quantile, 0.0, last);
  const auto known = [&](double total_epsilon) { return total_epsilon == last ? at_last : excess(total_epsilon); };
  return numeric::certified_root(excess, numeric::range_around(known, near, {step}, {0, last})).middle();
}

}  // namespace

double optimal_composition_log_delta(double epsilon, double delta, double count, double total_epsilon) {
  check(epsilon, delta, count);
  require(0 <= total_epsilon && std::isfinite(total_epsilon), "total_epsilon", total_epsilon, "finite and at least 0");
  return with_failures(log_no_failure(failing(delta, count)), log_response_delta(epsilon, count, total_epsilon));
}

numeric::Bracket optimal_composition_log_delta_bracket(double epsilon, double delta, double count,
                                                       double total_epsilon) {
  check(epsilon, delta, count);
  require(0 <= total_epsilon && std::isfinite(total_epsilon), "total_epsilon", total_epsilon, "finite and at least 0");
  numeric::Bracket responses{-infinity, -infinity};
  if (epsilon > 0 && is_tiny(epsilon, count))
    responses.upper = std::log(epsilon) + std::log(count) + 0x1p-30;  // s is at most the largest loss
  else if (epsilon > 0)
    responses = Responses(epsilon, count).log_delta_bracket(total_epsilon);
  return with_failures_bracket(log_no_failure(failing(delta, count)), responses);
}

double optimal_composition_epsilon(double epsilon, double delta, double count, double total_delta) {
  check(epsilon, delta, count);
  require(0 <= total_delta && total_delta <= 1, "total_delta", total_delta, "in [0, 1]");
  const Allowed wanted = allowed(failing(delta, count), total_delta);
  if (wanted.is_impossible) return infinity;
  if (log_response_delta(epsilon, count, 0) <= wanted.log_s) return 0;
  if (std::isinf(wanted.log_s) || std::isinf(epsilon * count)) return epsilon * count;
  if (!is_tiny(epsilon, count)) return response_epsilon(Responses(epsilon, count), count, wanted);
  const Allowed enlarged{false, wanted.log_s + std::log(enlargement), wanted.log_complement};
  return response_epsilon(Responses(epsilon * enlargement, count), count, enlarged) / enlargement;
}

double optimal_composition_epsilon_bound(double epsilon, double delta, double count, double total_delta) {
  const double found = optimal_composition_epsilon(epsilon, delta, count, total_delta);
  const double top = numeric::raised(count * epsilon, unit);
  if (total_delta == 0) return delta == 0 ? top : infinity;
  const double log_target = std::log(total_delta) - unit * (1 + std::abs(std::log(total_delta)));
  const auto excess = [&](double total_epsilon) {
    return optimal_composition_log_delta_bracket(epsilon, delta, count, total_epsilon).upper - log_target;
  };
  if (found < top) {
    const double at_found = excess(found);
    if (at_found <= 0) return found;
    // By how much that moves epsilon, to begin with.
    const double beside = found + 0x1p-12 * (top - found);
    const double fall = optimal_composition_log_delta(epsilon, delta, count, found) -
                        optimal_composition_log_delta(epsilon, delta, count, beside);
    const double first_step = std::max(2 * at_found * (beside - found) / fall, unit * beside);
    for (double step = first_step; found + step < top; step *= 4)
      if (excess(found + step) <= 0) return found + step;
  }
  // Beyond the largest loss only the failures count.
  return std::isfinite(top) && excess(top) <= 0 ? top : infinity;
}

EpsilonLogDelta optimal_composition_at(double epsilon, double delta, double count, double index) {
  check(epsilon, delta, count);
  require(0 <= index && index <= count / 2 && index == std::floor(index), "index", index,
          "an integer in [0, count / 2]");
  const double total_epsilon = (count - 2 * index) * epsilon;
  const double log_no_failure_of_any = log_no_failure(failing(delta, count));
  if (epsilon == 0) return {0, with_failures(log_no_failure_of_any, -infinity)};
  const bool tiny = is_tiny(epsilon, count);
  const double log_delta = Responses(tiny ? epsilon * enlargement : epsilon, count).log_delta_at(index);
  return {total_epsilon, with_failures(log_no_failure_of_any, tiny ? log_delta - std::log(enlargement) : log_delta)};
}

}  // namespace dpbudget::approximate
