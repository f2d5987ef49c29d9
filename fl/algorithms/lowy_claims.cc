#include "dpbudget/fl/algorithms/lowy_claims.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/algorithms/lowy_published.h"

namespace dpbudget::fl {
namespace {

enum class Formula { advanced_composition, one_pass, experiment };

std::optional<Formula> formula_of(const Run& run, Adversary adversary) {
  const bool is_silos_own = adversary == Adversary::server || adversary == Adversary::other_clients;
  const AlgorithmEntry& algorithm = find_algorithm(run.algorithm);
  if (!is_silos_own || algorithm.mechanism != Mechanism::gaussian || run.schedule != "constant" ||
      run.clipping != Clipping::fixed || run.unit != Unit::record)
    return std::nullopt;
  if (algorithm.single_record) return Formula::experiment;
  return run.batches == Batches::disjoint ? Formula::one_pass : Formula::advanced_composition;
}

// epsilon for which `formula` gives noise of the variance that the run has, sigma over C: all formulas are proportional
// to 1 / epsilon^2.
double epsilon_of(Formula formula, const Run& run, const Sizes& sizes, double delta) {
  const auto sample = static_cast<double>(batch_of(run, sizes.records));
  const auto records = static_cast<double>(sizes.records);
  const auto rounds = static_cast<double>(run.rounds);
  const double noise = sizes.noise_multiplier.value_or(run.noise_multiplier) * 2 / sample;
  const double at_one = [&] {
    switch (formula) {
      case Formula::advanced_composition:
        return lowy_advanced_composition_variance(1, rounds, sample, records, 1, delta);
      case Formula::one_pass:
        return 8 * std::log(2 / delta) / (sample * sample);
      case Formula::experiment:
        break;
    }
    return lowy_experiment_variance(1, rounds * static_cast<double>(run.local_steps.value()), records, 1, delta);
  }();
  return std::sqrt(at_one) / noise;
}

bool holds(Formula formula, const Run& run, const Sizes& sizes, double epsilon) {
  if (formula == Formula::one_pass) return epsilon <= 2 * std::log(2 / run.delta);
  if (formula == Formula::experiment) return true;
  try {
    require_lowy_advanced_composition(static_cast<double>(run.rounds),
                                      static_cast<double>(batch_of(run, sizes.records)),
                                      static_cast<double>(sizes.records), epsilon, run.delta);
  } catch (const Unsupported&) {
    return false;
  }
  return true;
}

}  // namespace

std::optional<AdversaryPlan> lowy_claim(const Run& run, const Sizes& sizes, Adversary adversary) {
  const auto formula = formula_of(run, adversary);
  if (!formula || !holds(*formula, run, sizes, epsilon_of(*formula, run, sizes, run.delta))) return std::nullopt;
  const std::uint64_t sample = batch_of(run, sizes.records);
  const Event release = Gaussian{sizes.noise_multiplier.value_or(run.noise_multiplier)};
  const Event sampled = SampledWithoutReplacement{Rate(sample, sizes.records), release};
  const Event all = *formula == Formula::one_pass
                        ? release
                        : Event(Repeated{run.rounds, Event(Repeated{run.local_steps.value(), sampled})});
  std::string source;
  std::vector<std::string> notes;
  switch (*formula) {
    case Formula::advanced_composition:
      source = "Lowy, Razaviyayn 2023, Theorem D.1 by appendix D.8";
      notes = {"its proof adds up the Gaussian mechanism, sampling and advanced composition, each with room to spare",
               "the theorem draws records with replacement, this run without"};
      break;
    case Formula::one_pass:
      source = "Lowy, Razaviyayn 2023, Theorem E.1";
      notes = {
          "its proof covers epsilon up to about 1.39; what it claims beyond is true up to about 9.7 at delta 1e-6, "
          "and false at 2 log(2/delta)"};
      break;
    case Formula::experiment:
      source = "Lowy, Razaviyayn 2023, appendix I, after Abadi et al. 2016, Theorem 1, whose constants are not given";
      notes = {"false for large epsilon: one record is the whole batch, so a step is hardly amplified"};
      break;
  }
  return AdversaryPlan{{all, Adjacency::replace_one}, Guarantee::estimate, std::move(source), std::move(notes)};
}

std::optional<double> lowy_claimed_epsilon(const Run& run, const Sizes& sizes, Adversary adversary, double delta) {
  const auto formula = formula_of(run, adversary);
  if (!formula) return std::nullopt;
  return epsilon_of(*formula, run, sizes, delta);
}

}  // namespace dpbudget::fl
