#include "dpbudget/fl/papers/chang_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/plan/runs.h"
#include "dpbudget/fl/papers/chang_published.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

struct Claim {
  ChangScheme scheme;
  ChangRun run;
};

std::optional<Claim> claim_or_nothing(ChangScheme scheme, const ChangRun& run) {
  if (!chang_preconditions(scheme, run).has_order()) return std::nullopt;
  return Claim{scheme, run};
}

std::optional<Claim> claim_of(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  if (adversary != Adversary::server || run->client_sampling != ClientSampling::uniform ||
      run->batches != Batches::fresh || !std::holds_alternative<FixedClipping>(run->clipping))
    return std::nullopt;
  const NoiseShape& shape = run.schedule();
  const std::uint64_t sample = batch_of(run, sizes.records);
  const std::uint64_t rounds = run.released_rounds();
  // Noise counted in sensitivities, which 2 L / B = 1 makes the theorem's own unit: the claim of a run is the same
  // whatever its clipping norm, as its privacy is.
  ChangRun claimed{
      .user_rate = run->user_rate,
      .record_rate = static_cast<double>(sample) / static_cast<double>(sizes.records),
      .lipschitz = 0.5,
      .batch = 1,
      .sigma0 = record_noise_multiplier(run, sizes.noise_multiplier.value_or(run->noise_multiplier), sample),
      .beta = 1,
      .local_steps = run.local_steps(),
      .hold = 0,
      .rounds = rounds};
  if (const auto* decay = std::get_if<RoundDecay>(&shape)) {
    claimed.beta = decay->beta;
    claimed.hold = std::min(decay->hold, rounds);
    return claim_or_nothing(ChangScheme::per_round, claimed);
  }
  if (const auto* decay = std::get_if<StepDecay>(&shape)) {
    claimed.beta = decay->beta;
    claimed.hold = std::min(decay->hold, rounds);
    return claim_or_nothing(ChangScheme::per_step, claimed);
  }
  return std::nullopt;
}

}  // namespace

std::optional<AdversaryPlan> chang_claim(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  const auto claim = claim_of(run, sizes, adversary);
  if (!claim) return std::nullopt;
  const Bound bound = chang_epsilon(claim->scheme, claim->run, run->delta);
  // As the theorem has it, every step is sampled anew, users and records at one rate.
  // Of rates with few decimals as many: an estimate has no sixteenth digit.
  const double rate = *number_in(fmt::format("{:.15g}", claim->run.user_rate * claim->run.record_rate));
  EventRuns steps;
  for (std::uint64_t number = 1; number <= run.released_rounds(); ++number)
    for (const double noise : step_noises(run, sizes, number)) steps.add(PoissonSampled{rate, Event(Gaussian{noise})});
  return AdversaryPlan{
      {steps.event(), Adjacency::replace_one}, Guarantee::estimate, joined(bound.theorems), bound.notes};
}

std::optional<double> chang_claimed_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                            double delta) {
  const auto claim = claim_of(run, sizes, adversary);
  if (!claim) return std::nullopt;
  return chang_epsilon(claim->scheme, claim->run, delta).upper;
}

}  // namespace dpbudget::fl
