#include "dpbudget/fl/papers/chang_published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/accounting/renyi/conversion.h"

namespace dpbudget::fl {
namespace {

constexpr double least_variance = 5;
constexpr double largest_rate = 0.1;

void check(const ChangRun& run) {
  require(0 < run.user_rate && run.user_rate <= 1, "user_rate", run.user_rate, "in (0, 1]");
  require(0 < run.record_rate && run.record_rate <= 1, "record_rate", run.record_rate, "in (0, 1]");
  require(0 < run.lipschitz && std::isfinite(run.lipschitz), "lipschitz", run.lipschitz, "positive and finite");
  require(1 <= run.batch && std::isfinite(run.batch), "batch", run.batch, "finite and at least 1");
  require(0 < run.sigma0 && std::isfinite(run.sigma0), "sigma0", run.sigma0, "positive and finite");
  require(1 <= run.rounds && run.rounds <= ranges::max_count, "rounds", run.rounds, "an integer in [1, 2^53]");
  require(run.hold <= run.rounds, "hold_rounds", run.hold, fmt::format("at most the rounds, {}", run.rounds));
}

// How often beta has multiplied the variance of the last step.
double decays(ChangScheme scheme, const ChangRun& run) {
  const auto rounds = static_cast<double>(run.rounds - run.hold);
  if (rounds == 0) return 0;
  return scheme == ChangScheme::per_round ? rounds : static_cast<double>(run.local_steps) * rounds - 1;
}

// The divergence of Theorem 1 or 2 at order 1: it is linear in the order.
double rdp_per_order(ChangScheme scheme, const ChangRun& run) {
  check(run);
  const double sum = chang_schedule(scheme, run).sum_inverse_variance(run.rounds);
  const double pq = run.user_rate * run.record_rate;
  const double slope = run.lipschitz / run.batch;
  return 24 * pq * pq * slope * slope * sum;
}

std::vector<std::string> notes_of(const ChangPreconditions& conditions) {
  std::vector<std::string> notes{
      "no proof covers it: the tau steps of a round share one draw of users, so that steps are not samples at rate p q "
      "each; and the server, against whom the paper defends, sees who takes part",
      "the steps are analysed as Poisson samples, but batches have a fixed size"};
  if (!conditions.sigma0) notes.emplace_back("its precondition sigma_0 >= sqrt(5) fails");
  if (!conditions.rates) notes.emplace_back("its precondition p q <= 0.1 fails");
  if (!conditions.beta) notes.push_back(fmt::format("its precondition beta >= {:.8g} fails", conditions.least_beta));
  if (!conditions.has_order()) notes.emplace_back("its cap on the order leaves no order above 1");
  return notes;
}

}  // namespace

NoiseShape chang_shape(ChangScheme scheme, double beta, std::uint64_t hold) {
  if (scheme == ChangScheme::per_round) return RoundDecay{beta, hold};
  return StepDecay{beta, hold};
}

NoiseSchedule chang_schedule(ChangScheme scheme, const ChangRun& run) {
  return {chang_shape(scheme, run.beta, run.hold), run.sigma0, run.local_steps};
}

double chang_rdp(ChangScheme scheme, const ChangRun& run, double order) {
  ranges::order(order);
  return order * rdp_per_order(scheme, run);
}

ChangPreconditions chang_preconditions(ChangScheme scheme, const ChangRun& run) {
  check(run);
  chang_schedule(scheme, run);  // beta and local_steps
  const double n = decays(scheme, run);
  const double variance = run.sigma0 * run.sigma0;
  const double pq = run.user_rate * run.record_rate;
  const double least_beta = n == 0 ? 0 : std::pow(least_variance / variance, 1 / n);
  return {.sigma0 = variance >= least_variance,
          .rates = pq <= largest_rate,
          .beta = run.beta >= least_beta,
          .least_beta = least_beta,
          .order_cap = std::pow(run.beta, n) * variance * std::abs(std::log(pq))};
}

std::optional<std::uint64_t> chang_first_round_beyond_beta(ChangScheme scheme, ChangRun run) {
  const auto holds = [&](std::uint64_t rounds) {
    ChangRun shorter = run;
    shorter.rounds = rounds;
    shorter.hold = std::min(run.hold, rounds);
    return chang_preconditions(scheme, shorter).beta;
  };
  if (holds(run.rounds)) return std::nullopt;
  return numeric::largest_that_fits(0, run.rounds, holds) + 1;
}

Bound chang_epsilon(ChangScheme scheme, const ChangRun& run, double delta) {
  ranges::delta(delta);
  const double slope = rdp_per_order(scheme, run);
  const ChangPreconditions conditions = chang_preconditions(scheme, run);
  // slope a + log(1/delta) / (a - 1) is least at 1 + sqrt(log(1/delta) / slope), and falls up to there.
  const double order = std::min(1 + std::sqrt(-std::log(delta) / slope), conditions.order_cap);
  const bool claims = conditions.has_order();
  return {.lower = 0,
          .upper =
              claims ? renyi::to_epsilon_mironov(order, slope * order, delta) : std::numeric_limits<double>::infinity(),
          .guarantee = Guarantee::estimate,
          .theorems = {fmt::format("Chang, Seif, Tandon 2022, Theorem {}{}", scheme == ChangScheme::per_round ? 1 : 2,
                                   claims ? fmt::format(", at order {:.6g}", order) : ", which claims nothing here")},
          .notes = notes_of(conditions),
          .accountant = {}};
}

double chang_epsilon_at(ChangScheme scheme, const ChangRun& run, double order, double delta) {
  return renyi::to_epsilon_mironov(order, chang_rdp(scheme, run, order), delta);
}

}  // namespace dpbudget::fl
