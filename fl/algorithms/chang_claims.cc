#include "dpbudget/fl/algorithms/chang_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "dpbudget/accounting/read_number.h"
#include "dpbudget/fl/algorithms/chang_published.h"
#include "dpbudget/fl/event_runs.h"
#include "dpbudget/fl/recipe.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

struct Claim {
  ChangScheme scheme;
  ChangRun run;
};

std::optional<Claim> claim_of(const Run& run, const Sizes& sizes, Adversary adversary) {
  if (adversary != Adversary::server || run.client_sampling != ClientSampling::uniform ||
      run.clipping != Clipping::fixed)
    return std::nullopt;
  const NoiseShape shape = parse_shape(run.schedule);
  const double sample = static_cast<double>(batch_of(run, sizes.records));
  const double noise = sizes.noise_multiplier.value_or(run.noise_multiplier);
  const std::uint64_t rounds = released_rounds(run);
  ChangRun claimed{run.user_rate,
                   sample / static_cast<double>(sizes.records),
                   run.clip_norm,
                   sample,
                   noise * 2 * run.clip_norm / sensitivity_divisor(run, batch_of(run, sizes.records)),
                   1,
                   run.local_steps.value(),
                   0,
                   rounds};
  if (const auto* decay = std::get_if<RoundDecay>(&shape)) {
    claimed.beta = decay->beta;
    claimed.hold = std::min(decay->hold, rounds);
    return Claim{ChangScheme::per_round, claimed};
  }
  if (const auto* decay = std::get_if<StepDecay>(&shape)) {
    claimed.beta = decay->beta;
    claimed.hold = std::min(decay->hold, rounds);
    return Claim{ChangScheme::per_step, claimed};
  }
  return std::nullopt;
}

}  // namespace

std::optional<AdversaryPlan> chang_claim(const Run& run, const Sizes& sizes, Adversary adversary) {
  const auto claim = claim_of(run, sizes, adversary);
  if (!claim) return std::nullopt;
  const Bound bound = chang_epsilon(claim->scheme, claim->run, run.delta);
  // As the theorem has it, every step is sampled anew, users and records at one rate.
  // Of rates with few decimals as many: an estimate has no sixteenth digit.
  const double rate = *number_in(fmt::format("{:.15g}", claim->run.user_rate * claim->run.record_rate));
  EventRuns steps;
  for (std::uint64_t number = 1; number <= released_rounds(run); ++number)
    for (const double noise : step_noises(run, sizes, number)) steps.add(PoissonSampled{rate, Event(Gaussian{noise})});
  return AdversaryPlan{{steps.event(), Adjacency::replace_one}, Guarantee::estimate, bound.theorem, bound.notes};
}

std::optional<double> chang_claimed_epsilon(const Run& run, const Sizes& sizes, Adversary adversary, double delta) {
  const auto claim = claim_of(run, sizes, adversary);
  if (!claim) return std::nullopt;
  return chang_epsilon(claim->scheme, claim->run, delta).upper;
}

}  // namespace dpbudget::fl
