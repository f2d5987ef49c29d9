#include "dpbudget/fl/papers/zheng_claims.h"

#include <cmath>
#include <utility>

#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/tradeoff/federated.h"

namespace dpbudget::fl {
namespace {

// mu of Theorem 2 for one client; nothing where the theorem does not speak of the run.
std::optional<double> claimed_mu(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  const bool has_clients = adversary == Adversary::one_client || adversary == Adversary::other_clients;
  if (!has_clients || !run.has_constant_noise() || run->clipping != Clipping::fixed || run->unit != Unit::record)
    return std::nullopt;
  const double mu = tradeoff::federated_mu_max(
      {{batch_of(run, sizes.records), sizes.records, sizes.noise_multiplier.value_or(run->noise_multiplier),
        run.local_steps() * run.released_rounds()}});
  // The strong notion: all the others together.
  if (adversary == Adversary::one_client) return mu;
  return std::sqrt(static_cast<double>(sizes.clients) - 1) * mu;
}

}  // namespace

std::optional<AdversaryPlan> ZhengClaims::published(const SettledRun& run, const Sizes& sizes,
                                                    Adversary adversary) const {
  if (!claimed_mu(run, sizes, adversary)) return std::nullopt;
  const std::uint64_t sample = batch_of(run, sizes.records);
  Event releases = Repeated{
      run.released_rounds(),
      Event(Repeated{
          run.local_steps(),
          Event(SampledWithoutReplacement{Rate(sample, sizes.records),
                                          Event(Gaussian{sizes.noise_multiplier.value_or(run->noise_multiplier)})})})};
  std::vector<std::string> notes = {"mu is the limit of many steps, by a central limit theorem: no bound at any number",
                                    "the sampling of clients is not counted: the theorem drops it"};
  if (adversary == Adversary::other_clients)
    notes.emplace_back("mu is multiplied by sqrt(clients - 1), as if each client saw a release of its own");
  return AdversaryPlan{{std::move(releases), Adjacency::replace_one},
                       Guarantee::estimate,
                       "Zheng, Chen, Long, Su 2021, Theorem 2 and its corollary",
                       std::move(notes)};
}

std::optional<double> ZhengClaims::published_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                                     double delta) const {
  const auto mu = claimed_mu(run, sizes, adversary);
  if (!mu) return std::nullopt;
  return *mu == 0 ? 0 : profile::gaussian_epsilon(1 / *mu, delta);
}

}  // namespace dpbudget::fl
