#include "dpbudget/fl/algorithms/adaptive_averaging.h"

#include <fmt/format.h>

#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/concentrated/dpnfl.h"

namespace dpbudget::fl {
namespace {

// Theorem 5 speaks of a client's expected participations, T r / n.
double expected_participations(const Run& run, const Sizes& sizes) {
  const auto rounds = static_cast<double>(released_rounds(run));
  return rounds * static_cast<double>(drawn(run.user_rate, sizes.clients)) / static_cast<double>(sizes.clients);
}

bool is_covered(const Run& run, Adversary adversary) {
  return adversary == Adversary::server && run.schedule == "constant" && run.clipping == Clipping::fixed &&
         run.client_sampling == ClientSampling::uniform && run.unit == Unit::record;
}

double noise_of(const Run& run, const Sizes& sizes) { return sizes.noise_multiplier.value_or(run.noise_multiplier); }

// The guarantee of the expected number of participations, rounded up to a whole one as dpnfl_tcdp wants it.
std::optional<concentrated::TruncatedCdp> claimed_tcdp(const Run& run, const Sizes& sizes) {
  const auto sample = static_cast<double>(batch_of(run, sizes.records));
  const concentrated::Dpnfl training{std::ceil(expected_participations(run, sizes)),
                                     static_cast<double>(run.local_steps.value()), run.clip_norm,
                                     static_cast<double>(sizes.records), sample};
  try {
    return concentrated::dpnfl_tcdp(training, noise_of(run, sizes) * 2 * run.clip_norm / sample);
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<AdversaryPlan> Nfl::published(const Run& run, const Sizes& sizes, Adversary adversary) const {
  if (!is_covered(run, adversary) || !claimed_tcdp(run, sizes)) return std::nullopt;
  const std::uint64_t sample = batch_of(run, sizes.records);
  const auto participations =
      to_integer<std::uint64_t>(std::ceil(expected_participations(run, sizes)), "participations");
  Event releases = Repeated{participations,
                            Event(Repeated{run.local_steps.value(),
                                           Event(SampledWithoutReplacement{Rate(sample, sizes.records),
                                                                           Event(Gaussian{noise_of(run, sizes)})})})};
  return AdversaryPlan{
      {std::move(releases), Adjacency::replace_one},
      Guarantee::estimate,
      "Chen et al. 2024, Theorem 5, with Lemmas 4, 3 and 2",
      {fmt::format(
          "a client is taken to take part {:.4g} times, its expected number of rounds; it may take part in all "
          "{}",
          expected_participations(run, sizes), released_rounds(run))}};
}

std::optional<double> Nfl::published_epsilon(const Run& run, const Sizes& sizes, Adversary adversary,
                                             double delta) const {
  if (!is_covered(run, adversary)) return std::nullopt;
  const auto tcdp = claimed_tcdp(run, sizes);
  if (!tcdp) return std::nullopt;
  return concentrated::tcdp_to_epsilon(tcdp->rho, tcdp->omega, delta);
}

void AdaptiveNfl::prepare(const Run& run, ServerState& state) const {
  const auto dimension = state.model.size();
  state.memory = {Vector::Zero(dimension), Vector::Constant(dimension, *run.adaptivity * *run.adaptivity)};
}

void AdaptiveNfl::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  Vector& first = state.memory[0];
  Vector& second = state.memory[1];
  const Vector delta = weighted_sum(updates);
  const double beta1 = *round.run.momentum;
  const double beta2 = *round.run.second_momentum;
  first = beta1 * first + (1 - beta1) * delta;
  second = beta2 * second + (1 - beta2) * delta.cwiseAbs2();
  state.model.array() += *round.run.server_step * first.array() / (second.array().sqrt() + *round.run.adaptivity);
}

}  // namespace dpbudget::fl
