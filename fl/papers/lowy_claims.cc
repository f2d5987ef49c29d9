#include "dpbudget/fl/papers/lowy_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/papers/lowy_published.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

enum class Formula { advanced_composition, one_pass, experiment };

bool is_plain(const SettledRun& run) {
  return run.has_constant_noise() && std::holds_alternative<FixedClipping>(run->clipping) && run->unit == Unit::record;
}

bool is_silos_own(Adversary adversary) {
  return adversary == Adversary::server || adversary == Adversary::other_clients;
}

// The formula that covers the run; nothing where there is none, or its logarithm would not be positive.
std::optional<Formula> formula_of(const SettledRun& run, const Sizes& sizes, Adversary adversary, double delta) {
  const AlgorithmTraits& algorithm = run.algorithm();
  if (!is_silos_own(adversary) || algorithm.mechanism != Mechanism::gaussian || !is_plain(run)) return std::nullopt;
  if (run->batches == Batches::shuffled) return std::nullopt;
  if (algorithm.single_record) return Formula::experiment;
  if (run->batches == Batches::disjoint) return Formula::one_pass;
  const double logarithm = lowy_advanced_composition_logarithm(static_cast<double>(run->rounds),
                                                               static_cast<double>(batch_of(run, sizes.records)),
                                                               static_cast<double>(sizes.records), delta);
  if (!(0 < logarithm)) return std::nullopt;
  return Formula::advanced_composition;
}

// The noise multiplier that `formula` gives for epsilon 1; all formulas are proportional to 1 / epsilon.
double noise_at_one(Formula formula, const SettledRun& run, const Sizes& sizes, double delta) {
  const auto sample = static_cast<double>(batch_of(run, sizes.records));
  const auto records = static_cast<double>(sizes.records);
  const auto rounds = static_cast<double>(run->rounds);
  // Of noise over C.
  const double variance = [&] {
    switch (formula) {
      case Formula::advanced_composition:
        return lowy_advanced_composition_variance(1, rounds, sample, records, 1, delta);
      case Formula::one_pass:
        return 8 * std::log(2 / delta) / (sample * sample);
      case Formula::experiment:
        break;
    }
    return lowy_experiment_variance(1, rounds * static_cast<double>(run.local_steps()), records, 1, delta);
  }();
  return std::sqrt(variance) * sample / 2;
}

double epsilon_of(Formula formula, const SettledRun& run, const Sizes& sizes, double delta) {
  return noise_at_one(formula, run, sizes, delta) / sizes.noise_multiplier.value_or(run->noise_multiplier);
}

bool holds(Formula formula, const SettledRun& run, const Sizes& sizes, double epsilon, double delta) {
  if (formula == Formula::one_pass) return epsilon <= 2 * std::log(2 / delta);
  if (formula == Formula::experiment) return true;
  const auto rounds = static_cast<double>(run->rounds);
  const auto sample = static_cast<double>(batch_of(run, sizes.records));
  const auto records = static_cast<double>(sizes.records);
  try {
    require_lowy_advanced_composition(rounds, sample, records, epsilon, delta);
  } catch (const Unsupported&) {
    return false;
  }
  return true;
}

}  // namespace

std::optional<AdversaryPlan> lowy_claim(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  const auto formula = formula_of(run, sizes, adversary, run->delta);
  if (!formula || !holds(*formula, run, sizes, epsilon_of(*formula, run, sizes, run->delta), run->delta))
    return std::nullopt;
  const std::uint64_t sample = batch_of(run, sizes.records);
  const Event release = Gaussian{sizes.noise_multiplier.value_or(run->noise_multiplier)};
  const bool is_as_listed = run->batches == Batches::with_replacement;
  const Event sampled = is_as_listed ? Event(SampledWithReplacement{{sample, sizes.records}, release})
                                     : Event(SampledWithoutReplacement{Rate(sample, sizes.records), release});
  const Event all = *formula == Formula::one_pass
                        ? release
                        : Event(Repeated{run->rounds, Event(Repeated{run.local_steps(), sampled})});
  std::string source;
  std::vector<std::string> notes;
  switch (*formula) {
    case Formula::advanced_composition:
      source = "Lowy, Razaviyayn 2023, Theorem D.1 by appendix D.8";
      notes = {"its proof adds up the Gaussian mechanism, sampling and advanced composition, each with room to spare"};
      if (!is_as_listed) notes.emplace_back("the theorem draws records with replacement, this run without");
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

std::optional<double> lowy_claimed_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                           double delta) {
  const auto formula = formula_of(run, sizes, adversary, delta);
  if (!formula) return std::nullopt;
  return epsilon_of(*formula, run, sizes, delta);
}

std::optional<double> lowy_noise(const SettledRun& run, const Sizes& sizes, Adversary adversary, double epsilon,
                                 double delta) {
  const auto formula = formula_of(run, sizes, adversary, delta);
  if (!formula || !holds(*formula, run, sizes, epsilon, delta)) return std::nullopt;
  return noise_at_one(*formula, run, sizes, delta) / epsilon;
}

std::string LowyClaims::silence(const SettledRun& run, const Sizes& sizes, Adversary adversary) const {
  const Mechanism mechanism = run.algorithm().mechanism;
  if (mechanism == Mechanism::shuffled_binomial)
    return "Theorem G.3 fixes the noise bits for a budget, up to constants that are lost; it says nothing of given "
           "bits";
  if (mechanism == Mechanism::shuffled_gaussian)
    return "Theorem G.1 fixes the noise for a budget, up to constants that are lost; what its proof gives is below";
  if (!is_silos_own(adversary))
    return "the paper protects a silo's records from all but the silo (server, other clients)";
  if (!run.has_constant_noise()) return "the paper keeps its noise constant";
  if (!is_plain(run)) return "the paper's clipping norm is fixed and its noise scaled for a record";
  if (run->batches == Batches::shuffled) return "the paper draws each batch anew, or uses every record once";
  const auto formula = formula_of(run, sizes, adversary, run->delta);
  const auto rounds = static_cast<double>(run->rounds);
  const auto sample = static_cast<double>(batch_of(run, sizes.records));
  const auto records = static_cast<double>(sizes.records);
  if (!formula) return "Theorem D.1 needs delta below 2.5 R K / n";
  const double epsilon = epsilon_of(*formula, run, sizes, run->delta);
  if (*formula == Formula::one_pass)
    return fmt::format("Theorem E.1 needs epsilon at most 2 log(2 / delta), and its noise is that of {:.6g}", epsilon);
  try {
    require_lowy_advanced_composition(rounds, sample, records, epsilon, run->delta);
  } catch (const Unsupported& refusal) {
    return fmt::format("this noise is Theorem D.1's for epsilon {:.6g}, for which a precondition fails: {}", epsilon,
                       refusal.what());
  }
  return "it claims something";
}

std::vector<Stated> LowyClaims::stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                       double delta) const {
  const AlgorithmTraits& algorithm = run.algorithm();
  if (!is_plain(run) || run->batches == Batches::disjoint) return {};
  if (algorithm.mechanism == Mechanism::gaussian && is_silos_own(adversary) && !algorithm.single_record)
    return {
        {.source = "Lowy, Razaviyayn 2023, section 6: the budget of its experiments, after Abadi et al. 2016, "
                   "Theorem 1, whose constants are not given",
         .epsilon = epsilon_of(Formula::experiment, run, sizes, delta),
         .delta = delta,
         .guarantee = Guarantee::estimate,
         .notes = {"sigma^2 = 8 L^2 R log(1 / delta) / (n^2 epsilon^2): short of the truth where epsilon is large"}}};
  const bool sees_shuffled = adversary == Adversary::server || adversary == Adversary::third_party;
  if (algorithm.mechanism != Mechanism::shuffled_gaussian || !sees_shuffled) return {};
  const auto reports = static_cast<double>(batch_of(run, sizes.records) * drawn(run->user_rate, sizes.clients));
  const auto all_records = static_cast<double>(sizes.all_records.value_or(sizes.records * sizes.clients));
  Stated shuffled{.source = "Lowy, Razaviyayn 2023, Theorem G.1, restored from its proof",
                  .epsilon = std::numeric_limits<double>::infinity(),
                  .delta = delta,
                  .guarantee = Guarantee::estimate,
                  .notes = {"drawing silos is taken to amplify a record's guarantee as drawing records does"}};
  try {
    shuffled.epsilon =
        lowy_shuffled_epsilon({.noise_multiplier = sizes.noise_multiplier.value_or(run->noise_multiplier),
                               .reports = reports,
                               .rate = std::min(1.0, reports / all_records),
                               .rounds = static_cast<double>(run->rounds)},
                              delta);
  } catch (const Unsupported& refusal) {
    shuffled.notes.emplace_back(refusal.what());
  }
  return {shuffled};
}

}  // namespace dpbudget::fl
