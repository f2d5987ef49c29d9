#include "dpbudget/fl/account/proven_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/runs.h"
#include "dpbudget/accounting/shuffle/vector_sum/vector_sum.h"
#include "dpbudget/fl/account/shuffled_reports.h"
#include "dpbudget/fl/round/participants.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

constexpr const char* composition_source =
    "composition, over the rounds, of the sampled releases made with the probability of taking part";

// By what the noise of the other participants multiplies a client's own, where the mean alone is published.
double aggregation(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  const AlgorithmTraits& entry = run.algorithm();
  const bool subsets =
      run->client_sampling == ClientSampling::uniform || run->client_sampling == ClientSampling::fedavg;
  if (!entry.released_mean || run.local_steps() != 1U || !subsets || !run->silo_noise.empty() || !sizes.all_alike())
    return 1;
  const std::uint64_t participants = drawn(run->user_rate, sizes.clients);
  if (adversary == Adversary::third_party) return std::sqrt(static_cast<double>(participants)) * rounding_down;
  if (adversary == Adversary::one_client)
    return std::sqrt(static_cast<double>(std::max<std::uint64_t>(participants, 2) - 1)) * rounding_down;
  return 1;
}

// Reports among which the adversary cannot tell a client's apart.
std::uint64_t hidden_among(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t sample) {
  const std::uint64_t participants = drawn(run->user_rate, sizes.clients);
  if (adversary == Adversary::other_clients) return sample;
  if (adversary == Adversary::one_client) return sample * (std::max<std::uint64_t>(participants, 2) - 1);
  return sample * participants;
}

// Every step's noise multiplier in a round, over what replacing the protected unit changes that release by.
std::vector<double> multipliers(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t number) {
  const std::uint64_t sample = batch_of(run, sizes.records);
  const bool whole_client = adversary == Adversary::user_level;
  const bool per_report = run.algorithm().mechanism == Mechanism::shuffled_gaussian;
  std::vector<double> noises = step_noises(run, sizes, number);
  for (double& noise : noises) {
    if (per_report) {
      // All reports of a client move together by 2 C each: the norm of the move is sqrt(sample) 2 C.
      if (whole_client) noise *= rounding_down / std::sqrt(static_cast<double>(sample));
      continue;
    }
    noise = whole_client ? user_noise_multiplier(run, noise, sample) : record_noise_multiplier(run, noise, sample);
    if (run->clipping == Clipping::adaptive) {
      // A whole client moves the count by up to the size of the batch.
      const double count = whole_client ? *run->clip_noise / static_cast<double>(sample) : *run->clip_noise;
      noise = joint_noise(noise, count);
    }
    noise *= aggregation(run, sizes, adversary);
  }
  return noises;
}

// One step's release of the protected unit.
class Step {
 public:
  Step(const SettledRun& run, const Sizes& sizes, Adversary adversary)
      : run_(run),
        sizes_(sizes),
        adversary_(adversary),
        sample_(batch_of(run, sizes.records)),
        reports_(run, sizes.clients) {
    if (run->batches == Batches::fresh) drawn_ = {sample_, sizes.records};
  }

  Event operator()(double noise) {
    Event release = Gaussian{noise};
    if (adversary_ == Adversary::user_level) return release;
    if (run_.algorithm().mechanism == Mechanism::shuffled_gaussian)
      release = reports_(noise, hidden_among(run_, sizes_, adversary_, sample_), drawn_);
    if (!drawn_) return release;
    return sampled_batch(sample_, sizes_.records, std::move(release));
  }

 private:
  const SettledRun& run_;
  const Sizes& sizes_;
  Adversary adversary_;
  std::uint64_t sample_;
  std::optional<ShuffledReports::Batch> drawn_;  // nothing where each record is in one batch only
  ShuffledReports reports_;
};

// Calls visit(number, count) for each stretch of rounds with the same noise: `count` of them, from `number` on.
template <class Visit>
void for_each_stretch(const SettledRun& run, std::uint64_t rounds, const Visit& visit) {
  for (std::uint64_t number = 1; number <= rounds;) {
    const std::uint64_t next = std::min(next_noise_change(run, number), rounds + 1);
    visit(number, next - number);
    number = next;
  }
}

Event all_rounds(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t rounds) {
  Step step(run, sizes, adversary);
  const Rate rate = participation_rate(run, sizes);
  const auto round_event = [&](std::uint64_t number) {
    EventRuns steps;
    for (const double noise : multipliers(run, sizes, adversary, number)) steps.add(step(noise));
    return Event(Participates{rate, steps.event()});
  };
  if (run.has_constant_noise()) return Repeated{rounds, round_event(1)};
  EventRuns all;
  for_each_stretch(run, rounds,
                   [&](std::uint64_t number, std::uint64_t count) { all.add(round_event(number), count); });
  return all.event();
}

// The one release that a record is in, with the least noise that any has.
Event one_release(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t rounds) {
  double least = std::numeric_limits<double>::infinity();
  for_each_stretch(run, rounds, [&](std::uint64_t number, std::uint64_t /*count*/) {
    least = std::min(least, std::ranges::min(multipliers(run, sizes, adversary, number)));
  });
  return Participates{participation_rate(run, sizes), Step(run, sizes, adversary)(least)};
}

std::optional<AdversaryPlan> binomial_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  if (adversary == Adversary::user_level) return std::nullopt;
  const std::uint64_t honest = hidden_among(run, sizes, adversary, batch_of(run, sizes.records));
  return AdversaryPlan{
      {Participates{participation_rate(run, sizes),
                    binomial_event(encoder_of(run, run->clip_norm), honest, sizes.dimension, run->delta)},
       Adjacency::replace_one},
      Guarantee::proven,
      "shifted binomials: accounting/shuffle/vector_sum/proofs.md; each record is used once",
      {fmt::format("the pair is that of delta {}", run->delta / 2)}};
}

}  // namespace

double joint_noise(double a, double b) { return rounding_down / std::hypot(1 / a, 1 / b); }

Event binomial_event(const mechanisms::BinomialEncoder& encoder, std::uint64_t honest, std::uint64_t dimension,
                     double delta) {
  require(dimension >= 1, "dimension", dimension, "that of the model: binomial noise depends on it");
  const shuffle::VectorSum sum{honest, encoder.noise_bits, encoder.probability, encoder.granularity, dimension};
  return ApproximateDp{shuffle::vector_sum_epsilon(sum, delta / 2).upper, delta / 2};
}

std::optional<AdversaryPlan> proven_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                         std::uint64_t rounds) {
  if (run->clipping == Clipping::median) return std::nullopt;
  if (run.algorithm().mechanism == Mechanism::shuffled_binomial) return binomial_plan(run, sizes, adversary);
  const bool used_once = run->batches == Batches::disjoint && adversary != Adversary::user_level;
  AdversaryPlan proven{
      {used_once ? one_release(run, sizes, adversary, rounds) : all_rounds(run, sizes, adversary, rounds),
       Adjacency::replace_one},
      Guarantee::proven,
      used_once ? "parallel composition: every record is used once" : composition_source,
      {}};
  if (adversary == Adversary::user_level)
    proven.notes.emplace_back(
        "the unit is the client: neighbouring data sets differ in all records of one client, not in their number");
  if (aggregation(run, sizes, adversary) > 1)
    proven.notes.emplace_back(
        adversary == Adversary::third_party
            ? "the noise is that of the mean of all participants: with one local step nothing else is published"
            : "the noise is that of the mean of all participants but the adversary");
  return proven;
}

std::optional<AdversaryPlan> proven_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  return proven_plan(run, sizes, adversary, run.released_rounds());
}

}  // namespace dpbudget::fl
