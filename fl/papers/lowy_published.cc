#include "dpbudget/fl/papers/lowy_published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/clones/closed_forms.h"

namespace dpbudget::fl {
namespace {

void check_common(double rounds, double records, double epsilon, double delta) {
  require(1 <= rounds && std::isfinite(rounds), "rounds", rounds, "finite and at least 1");
  require(1 <= records && std::isfinite(records), "records", records, "finite and at least 1");
  require(0 < epsilon && std::isfinite(epsilon), "epsilon", epsilon, "positive and finite");
  ranges::delta(delta);
}

void check_batch(double batch, double records) {
  require(1 <= batch && batch <= records, "batch", batch, fmt::format("in [1, {}], the records of a silo", records));
}

void check_lipschitz(double lipschitz) {
  require(0 < lipschitz && std::isfinite(lipschitz), "lipschitz", lipschitz, "positive and finite");
}

// log(2 / delta), which is positive.
double log_two_over(double delta) { return std::numbers::ln2 - std::log(delta); }

}  // namespace

double lowy_advanced_composition_logarithm(double rounds, double batch, double records, double delta) {
  check_common(rounds, records, 1, delta);
  check_batch(batch, records);
  return std::log(2.5 * rounds * (batch / records)) - std::log(delta);
}

double lowy_advanced_composition_variance(double lipschitz, double rounds, double batch, double records, double epsilon,
                                          double delta) {
  check_lipschitz(lipschitz);
  check_common(rounds, records, epsilon, delta);
  const double failures = lowy_advanced_composition_logarithm(rounds, batch, records, delta);
  require(0 < failures, "delta", delta, fmt::format("below 2.5 R K / n = {}", 2.5 * rounds * (batch / records)));
  const double scale = lipschitz / records / epsilon;
  return 256 * scale * scale * rounds * failures * log_two_over(delta);
}

void require_lowy_advanced_composition(double rounds, double batch, double records, double epsilon, double delta) {
  check_common(rounds, records, epsilon, delta);
  check_batch(batch, records);
  const double log_term = log_two_over(delta);
  const double least_batch = epsilon * records / (4 * std::sqrt(2 * rounds * log_term));
  if (!(batch >= least_batch))
    throw Unsupported(
        fmt::format("batch is {}, but must be at least {:.6g} for advanced composition of rounds that the "
                    "classical Gaussian mechanism covers",
                    batch, least_batch));
  if (!(epsilon <= 2 * log_term))
    throw Unsupported(
        fmt::format("epsilon is {}, but must be at most {:.6g}, twice log(2 / delta), for advanced "
                    "composition in its simple form",
                    epsilon, 2 * log_term));
}

double lowy_experiment_variance(double lipschitz, double rounds, double records, double epsilon, double delta) {
  check_lipschitz(lipschitz);
  check_common(rounds, records, epsilon, delta);
  const double scale = lipschitz / records / epsilon;
  return -8 * scale * scale * rounds * std::log(delta);
}

double lowy_shuffled_epsilon(const LowyShuffled& run, double delta) {
  require(0 < run.noise_multiplier && std::isfinite(run.noise_multiplier), "noise", run.noise_multiplier,
          "positive and finite");
  require(1 <= run.reports && std::isfinite(run.reports), "reports", run.reports, "finite and at least 1");
  require(0 < run.rate && run.rate <= 1, "rate", run.rate, "in (0, 1]");
  check_common(run.rounds, 1, 1, delta);
  const double of_round = std::min(0.5, delta / (2 * run.rounds * run.rate));
  // A report's failures count (e^epsilon + 1)(1 + e^-e0 / 2) times, with epsilon at most e0 and so 1.
  const double local_delta = of_round / 2 / (run.reports * (std::numbers::e + 1) * 1.5);
  const double local_epsilon = std::sqrt(2 * std::log(1.25 / local_delta)) / run.noise_multiplier;
  if (!(local_epsilon <= 1))
    throw Unsupported(fmt::format(
        "noise is {}, but must be at least {:.6g} for the classical Gaussian mechanism to cover a single report",
        run.noise_multiplier, run.noise_multiplier * local_epsilon));
  const double shuffled =
      shuffle::clones_closed_form_approximate(local_epsilon, local_delta, run.reports, of_round / 2).epsilon;
  const double sampled = std::log1p(run.rate * std::expm1(shuffled));
  return sampled * std::sqrt(2 * run.rounds * std::log(2 / delta)) + run.rounds * sampled * std::expm1(sampled);
}

}  // namespace dpbudget::fl
