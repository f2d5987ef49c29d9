#include "dpbudget/fl/convergence/lowy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/fl/convergence/enclosed.h"

namespace dpbudget::fl {
namespace {

void require_positive(const char* name, double value) {
  require(0 < value && std::isfinite(value), name, value, "positive and finite");
}

void require_not_negative(const char* name, double value) {
  require(0 <= value && std::isfinite(value), name, value, "finite and at least 0");
}

void require_counted(const char* name, double value) {
  require(1 <= value && std::isfinite(value), name, value, "finite and at least 1");
}

void check_run(const LowyRun& r) {
  require_positive("smoothness", r.smoothness);
  require_not_negative("gradient_variance", r.gradient_variance);
  require_not_negative("silo_heterogeneity", r.silo_heterogeneity);
  require_not_negative("noise_std", r.noise_std);
  require_counted("dimension", r.dimension);
  require_counted("silos", r.silos);
  require(1 <= r.participants && r.participants <= r.silos, "participants", r.participants,
          fmt::format("in [1, {}], some of the silos", r.silos));
  require_counted("batch", r.batch);
}

double rounds_of(std::uint64_t rounds) {
  require(1 <= rounds, "rounds", rounds, "at least 1");
  return static_cast<double>(rounds);
}

Enclosed enclosed_rounds(std::uint64_t rounds) {
  require(1 <= rounds, "rounds", rounds, "at least 1");
  return enclosed_count(rounds);
}

// For sums that are taken round by round.
double few_rounds_of(std::uint64_t rounds) {
  constexpr std::uint64_t most = 10'000'000;
  require(1 <= rounds && rounds <= most, "rounds", rounds,
          fmt::format("in [1, {}]: the sum is taken round by round", most));
  return static_cast<double>(rounds);
}

void require_convexity(double mu, const LowyRun& run, bool positive) {
  require((positive ? 0 < mu : 0 <= mu) && mu <= run.smoothness, "strong_convexity", mu,
          fmt::format("in {}0, {}], at most the smoothness", positive ? "(" : "[", run.smoothness));
}

// `scale` times each part of V^2, an upper bound, beside what is left of the start.
LowyBound bound_of(const Enclosed& optimisation, const Enclosed& scale, const LowyVariance& variance) {
  LowyBound bound{.optimisation = optimisation.upper(),
                  .batches = (scale * variance.batches).upper(),
                  .silos = (scale * variance.silos).upper(),
                  .privacy = (scale * variance.privacy).upper(),
                  .total = 0};
  for (const double term : {bound.optimisation, bound.batches, bound.silos, bound.privacy})
    bound.total = numeric::add_up(bound.total, term);
  return bound;
}

// Of the second moment of a round's gradient, which the paper uses for its variance.
LowyVariance moment_of(const LowyRun& run, double lipschitz) {
  require_positive("lipschitz", lipschitz);
  return {.batches = numeric::multiply_up(lipschitz, lipschitz), .silos = 0, .privacy = lowy_variance(run).privacy};
}

// What multiplies |w_0 - w*|^2 and V^2 in AC-SA's bound.
struct Accelerated {
  Enclosed start;
  Enclosed noise;
};

// Of so few rounds that a double holds r (r + 1).
Accelerated accelerated(double beta, double mu, double gamma, double rounds) {
  Enclosed noise = 0;
  for (double r = 1; r <= rounds; ++r) {
    const Enclosed alpha = Enclosed(2) / (r + 1);
    const Enclosed margin = mu + 4 * Enclosed(gamma) / (r * (r + 1)) - beta * alpha * alpha;
    if (!(0 < margin.lower()))
      require(false, "gamma", gamma, fmt::format("larger: in round {} mu + eta_r is not above beta alpha_r^2", r));
    noise = noise + Enclosed(r) / (r + 1) / margin;  // alpha_r^2 / (2 Gamma_r margin), Gamma_r = 2 / (r (r + 1))
  }
  const Enclosed falls = Enclosed(2) / (rounds * (rounds + 1));
  return {.start = gamma * falls, .noise = noise * falls};
}

}  // namespace

LowyVariance lowy_variance(const LowyRun& run) {
  check_run(run);
  const Enclosed all = run.silos;
  const Enclosed drawn = run.participants;
  const Enclosed spread = run.silos == 1 ? 0 : (all - drawn) / (all - 1);
  return {.batches = (run.gradient_variance / (drawn * run.batch)).upper(),
          .silos = (spread * run.silo_heterogeneity / drawn).upper(),
          .privacy = (Enclosed(run.dimension) * run.noise_std * run.noise_std / drawn).upper()};
}

LowyBound lowy_minibatch_bound(const LowyRun& run, double distance, double step, std::uint64_t rounds) {
  const LowyVariance variance = lowy_variance(run);
  require_positive("distance", distance);
  const Enclosed all = enclosed_rounds(rounds);
  require(0 < step && step * run.smoothness < 1, "step", step, fmt::format("in (0, {})", 1 / run.smoothness));
  const Enclosed gain = 2 * (1 - Enclosed(run.smoothness) * step);
  require(0 < gain.lower(), "step", step, fmt::format("in (0, {})", 1 / run.smoothness));
  return bound_of(Enclosed(distance) * distance / (Enclosed(step) * all * gain), step / gain, variance);
}

double lowy_minibatch_best_step(const LowyRun& run, double distance, std::uint64_t rounds) {
  const double variance = lowy_variance(run).total();
  require_positive("distance", distance);
  const double start = distance * distance / rounds_of(rounds);
  const double by_smoothness = run.smoothness * start;
  return start / (by_smoothness + std::sqrt(by_smoothness * by_smoothness + start * variance));
}

LowyBound lowy_lemma_d7(const LowyRun& run, double lipschitz, double distance, double step, std::uint64_t rounds) {
  const LowyVariance moment = moment_of(run, lipschitz);
  require_positive("distance", distance);
  require_positive("step", step);
  return bound_of(Enclosed(distance) * distance / (2 * Enclosed(step) * enclosed_rounds(rounds)), Enclosed(step) / 2,
                  moment);
}

double lowy_lemma_d7_best_step(const LowyRun& run, double lipschitz, double distance, std::uint64_t rounds) {
  const LowyVariance moment = moment_of(run, lipschitz);
  require_positive("distance", distance);
  return distance / std::sqrt(rounds_of(rounds) * moment.total());
}

StepAndWeight stich_step(double strong_convexity, double largest, double rounds, double round) {
  const double mu = strong_convexity;
  // The last weight is 1, which does not fail where h rounds to mu.
  if (rounds <= largest / mu) return {1 / largest, std::pow(1 - mu / largest, rounds - 1 - round)};
  const double half = std::ceil(rounds / 2);
  if (round < half) return {1 / largest, 0};
  const double shifted = 2 * largest / mu + round - half;
  return {2 / (mu * shifted), shifted * shifted};
}

LowyBound lowy_stich_bound(const LowyRun& run, double lipschitz, double strong_convexity, double distance,
                           std::uint64_t rounds) {
  const LowyVariance moment = moment_of(run, lipschitz);
  require_positive("distance", distance);
  require_convexity(strong_convexity, run, true);
  const double all = few_rounds_of(rounds);
  const double mu = strong_convexity;
  // |w_r - w*|^2 is at most start + noise times the second moment; so is the weighted sum of F(w_r) - F*.
  Enclosed start = Enclosed(distance) * distance;
  Enclosed noise = 0;
  Enclosed start_sum = 0;
  Enclosed noise_sum = 0;
  Enclosed weights = 0;
  Enclosed carried = 0;  // what -|w_r - w*|^2 counts from the round before
  for (double r = 0; r < all; ++r) {
    const StepAndWeight taken = stich_step(mu, run.smoothness, all, r);
    const Enclosed step = taken.step;
    const Enclosed weight = taken.weight;
    const Enclosed counts = max(0, weight * (1 / step - mu) / 2 - carried);
    start_sum = start_sum + counts * start;
    noise_sum = noise_sum + counts * noise + weight * step / 2;
    weights = weights + weight;
    carried = weight / (2 * step);
    const Enclosed shrinks = max(0, 1 - mu * step);
    start = start * shrinks;
    noise = shrinks * noise + step * step;
  }
  return bound_of(start_sum / weights, noise_sum / weights, moment);
}

LowyBound lowy_accelerated_bound(const LowyRun& run, double strong_convexity, double distance, double gamma,
                                 std::uint64_t rounds) {
  const LowyVariance variance = lowy_variance(run);
  require_positive("distance", distance);
  require_positive("gamma", gamma);
  require_convexity(strong_convexity, run, false);
  const Accelerated found = accelerated(run.smoothness, strong_convexity, gamma, few_rounds_of(rounds));
  return bound_of(found.start * distance * distance, found.noise, variance);
}

double lowy_accelerated_best_gamma(const LowyRun& run, double distance, std::uint64_t rounds) {
  const double variance = lowy_variance(run).total();
  require_positive("distance", distance);
  const double all = rounds_of(rounds);
  return std::max(2 * run.smoothness, std::sqrt(variance * all * (all + 1) * (2 * all + 1) / 12) / distance);
}

AcceleratedStage accelerated_stage(double smoothness, double strong_convexity, double variance, double gap,
                                   double number) {
  const double mu = strong_convexity;
  const double rounds =
      std::ceil(std::max(4 * std::sqrt(2 * smoothness / mu), 128 * variance / (3 * mu * gap) * std::exp2(number + 1)));
  return {.rounds = rounds,
          .gamma = std::max(2 * smoothness, std::sqrt(mu * variance * rounds * (rounds + 1) * (rounds + 2) / (3 * gap) *
                                                      std::exp2(number - 1)))};
}

LowyBound lowy_multi_stage_bound(const LowyRun& run, double strong_convexity, double gap, std::uint64_t rounds) {
  const LowyVariance variance = lowy_variance(run);
  require_convexity(strong_convexity, run, true);
  require_positive("gap", gap);
  const double squared = variance.total();
  double left = few_rounds_of(rounds);
  Enclosed start = gap;  // F(w) - F* is at most start + noise V^2 where a stage begins
  Enclosed noise = 0;
  for (double stage = 1; left > 0; ++stage) {
    const auto [length, gamma] = accelerated_stage(run.smoothness, strong_convexity, squared, gap, stage);
    const Accelerated found = accelerated(run.smoothness, strong_convexity, gamma, std::min(length, left));
    const Enclosed shrinks = 2 * found.start / strong_convexity;
    start = start * shrinks;
    noise = shrinks * noise + found.noise;
    left -= length;
  }
  return bound_of(start, noise, variance);
}

namespace {

// sqrt(d log(1 / delta)) / (epsilon n sqrt(M))
double privacy_rate(const LowyRun& run, const LowyBudget& budget) {
  check_run(run);
  require_counted("records", budget.records);
  require_positive("epsilon", budget.epsilon);
  require(0 < budget.delta && budget.delta < 1, "delta", budget.delta, "in (0, 1)");
  return std::sqrt(run.dimension * -std::log(budget.delta) / run.participants) / (budget.epsilon * budget.records);
}

}  // namespace

LowyOrders lowy_theorem21_orders(const LowyRun& run, double lipschitz, double strong_convexity, double distance,
                                 const LowyBudget& budget) {
  const double rate = privacy_rate(run, budget);
  require_positive("lipschitz", lipschitz);
  require_convexity(strong_convexity, run, false);
  require_positive("distance", distance);
  const double records = budget.records * run.participants;
  if (strong_convexity == 0) return {lipschitz * distance / std::sqrt(records), lipschitz * distance * rate};
  const double scale = lipschitz * lipschitz / strong_convexity;
  return {scale / records, scale * rate * rate};
}

LowyOrders lowy_theorem31_orders(const LowyRun& run, double lipschitz, double strong_convexity, double distance,
                                 const LowyBudget& budget) {
  const double rate = privacy_rate(run, budget);
  require_positive("lipschitz", lipschitz);
  require_convexity(strong_convexity, run, false);
  require_positive("distance", distance);
  require(run.participants == run.silos, "participants", run.participants,
          fmt::format("{}, all silos: the general case of the theorem is lost", run.silos));
  const double records = budget.records * run.participants;
  if (strong_convexity == 0)
    return {distance * std::sqrt(run.gradient_variance / records),
            std::pow(std::pow(run.smoothness, 0.25) * lipschitz * std::pow(distance, 1.5) * rate, 0.8)};
  return {run.gradient_variance / (strong_convexity * records),
          std::sqrt(run.smoothness / strong_convexity) * lipschitz * lipschitz / strong_convexity * rate * rate};
}

}  // namespace dpbudget::fl
