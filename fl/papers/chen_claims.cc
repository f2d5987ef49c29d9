#include "dpbudget/fl/papers/chen_claims.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/concentrated/dpnfl.h"

namespace dpbudget::fl {
namespace {

// Theorem 5 speaks of a client's expected participations, T r / n.
double expected_participations(const SettledRun& run, const Sizes& sizes) {
  const auto rounds = static_cast<double>(run.released_rounds());
  return rounds * static_cast<double>(drawn(run->user_rate, sizes.clients)) / static_cast<double>(sizes.clients);
}

bool is_covered(const SettledRun& run, Adversary adversary) {
  return adversary == Adversary::server && run.has_constant_noise() &&
         std::holds_alternative<FixedClipping>(run->clipping) && run->client_sampling == ClientSampling::uniform &&
         run->unit == Unit::record && run->batches == Batches::fresh;
}

double noise_of(const SettledRun& run, const Sizes& sizes) {
  return sizes.noise_multiplier.value_or(run->noise_multiplier);
}

// The expected number of participations is rounded up to a whole one, as the library wants it.
concentrated::Dpnfl training_of(const SettledRun& run, const Sizes& sizes) {
  return {std::ceil(expected_participations(run, sizes)), static_cast<double>(run.local_steps()), run->clip_norm,
          static_cast<double>(sizes.records), static_cast<double>(batch_of(run, sizes.records))};
}

// On a mean gradient.
double noise_std_of(const SettledRun& run, const Sizes& sizes) {
  return noise_of(run, sizes) * 2 * run->clip_norm / static_cast<double>(batch_of(run, sizes.records));
}

std::optional<concentrated::TruncatedCdp> claimed_tcdp(const SettledRun& run, const Sizes& sizes) {
  try {
    return concentrated::dpnfl_tcdp(training_of(run, sizes), noise_std_of(run, sizes));
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<AdversaryPlan> ChenClaims::published(const SettledRun& run, const Sizes& sizes,
                                                   Adversary adversary) const {
  if (!is_covered(run, adversary) || !claimed_tcdp(run, sizes)) return std::nullopt;
  const std::uint64_t sample = batch_of(run, sizes.records);
  const auto participations =
      to_integer<std::uint64_t>(std::ceil(expected_participations(run, sizes)), "participations");
  Event releases = Repeated{
      participations,
      Event(Repeated{run.local_steps(), Event(SampledWithoutReplacement{Rate(sample, sizes.records),
                                                                        Event(Gaussian{noise_of(run, sizes)})})})};
  return AdversaryPlan{
      {std::move(releases), Adjacency::replace_one},
      Guarantee::estimate,
      "Chen et al. 2024, Theorem 5, with Lemmas 4, 3 and 2",
      {fmt::format(
          "a client is taken to take part {:.4g} times, its expected number of rounds; it may take part in all "
          "{}",
          expected_participations(run, sizes), run.released_rounds())}};
}

std::optional<double> ChenClaims::published_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                                    double delta) const {
  if (!is_covered(run, adversary)) return std::nullopt;
  const auto tcdp = claimed_tcdp(run, sizes);
  if (!tcdp) return std::nullopt;
  return concentrated::tcdp_to_epsilon(tcdp->rho, tcdp->omega, delta);
}

std::string ChenClaims::silence(const SettledRun& run, const Sizes& sizes, Adversary adversary) const {
  if (adversary != Adversary::server) return "the paper speaks of what the server sees";
  if (!is_covered(run, adversary))
    return "the paper keeps its noise constant, its clipping norm fixed and its noise scaled for a record, and draws "
           "clients uniformly and batches without replacement";
  try {
    concentrated::dpnfl_tcdp(training_of(run, sizes), noise_std_of(run, sizes));
  } catch (const Unsupported& refusal) {
    return fmt::format("a precondition of Lemma 4 fails: {}", refusal.what());
  }
  return "it claims something";
}

std::vector<Stated> ChenClaims::stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                       double /*delta*/) const {
  if (!is_covered(run, adversary) || !claimed_tcdp(run, sizes)) return {};
  const auto point = concentrated::dpnfl_theorem5(training_of(run, sizes), noise_std_of(run, sizes));
  return {{.source = "Chen et al. 2024, Theorem 5, the one pair that it writes down",
           .epsilon = point.epsilon,
           .delta = std::exp(point.log_delta),
           .guarantee = Guarantee::estimate,
           .notes = {fmt::format("rho = {:.6g}, omega = {:.6g}; log(delta) = {:.6g}", point.tcdp.rho, point.tcdp.omega,
                                 point.log_delta)}}};
}

std::optional<double> ChenClaims::published_noise(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                                  double epsilon, double delta) const {
  if (!is_covered(run, adversary)) return std::nullopt;
  const concentrated::Dpnfl training = training_of(run, sizes);
  try {
    return concentrated::dpnfl_noise_std(training, epsilon, delta) * training.batch / (2 * run->clip_norm);
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace dpbudget::fl
