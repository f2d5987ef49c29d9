#include "dpbudget/fl/papers/zheng_claims.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/tradeoff/federated.h"

namespace dpbudget::fl {
namespace {

// mu of Theorem 2 for one client; nothing where the theorem does not speak of the run.
std::optional<double> claimed_mu(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  const bool has_clients = adversary == Adversary::one_client || adversary == Adversary::other_clients;
  if (!has_clients || !run.has_constant_noise() || !std::holds_alternative<FixedClipping>(run->clipping) ||
      run->unit != Unit::record || run->batches != Batches::fresh)
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

std::string ZhengClaims::silence(const SettledRun& run, const Sizes& /*sizes*/, Adversary adversary) const {
  if (adversary != Adversary::one_client && adversary != Adversary::other_clients)
    return "the paper speaks of other clients only";
  if (!run.has_constant_noise()) return "the paper keeps its noise constant";
  if (run->batches != Batches::fresh) return "the paper draws batches without replacement";
  return "the paper's clipping norm is fixed and its noise scaled for a record";
}

std::vector<Stated> ZhengClaims::stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                        double delta) const {
  if (!claimed_mu(run, sizes, adversary)) return {};
  using tradeoff::FederatedNotion;
  const bool is_weak = adversary == Adversary::one_client;
  const auto rounds = static_cast<double>(run.released_rounds());
  const std::uint64_t sample = batch_of(run, sizes.records);
  const Event releases = Repeated{
      run.released_rounds() * run.local_steps(),
      Event(SampledWithoutReplacement{Rate(sample, sizes.records),
                                      Event(Gaussian{sizes.noise_multiplier.value_or(run->noise_multiplier)})})};
  const auto composed = [&] {
    return make_accountant(AccountantName::best, {releases, Adjacency::replace_one}).value()->epsilon(1, delta).value();
  };
  // max{f, 1 - a - pi} has a delta of at most the smaller of both.
  const auto with_reach = [&](double reach) { return reach <= delta ? 0.0 : composed().upper; };
  std::vector<Stated> all;
  const double rate = run->user_rate;
  const double corrected =
      tradeoff::federated_reach_probability(rate, rounds, is_weak ? FederatedNotion::weak : FederatedNotion::strong);
  if (is_weak) {
    const double published = tradeoff::federated_reach_probability_as_published(rate, rounds);
    all.push_back({.source = "Zheng, Chen, Long, Su 2021, Theorem 1, by max{f_j^R, 1 - a - pi}, which its g_p^R is not "
                             "below",
                   .epsilon = with_reach(published),
                   .delta = delta,
                   .guarantee = Guarantee::estimate,
                   .notes = {fmt::format("refuted for 2 rounds or more: it takes what client j sent to reach the other "
                                         "with probability {:.6g}",
                                         published)}});
  }
  all.push_back({.source = "Zheng, Chen, Long, Su 2021, Theorem 1 as corrected: max{f_j^R, 1 - a - pi}",
                 .epsilon = with_reach(corrected * (1 + 1e-11)),
                 .delta = delta,
                 .guarantee = run->client_sampling == ClientSampling::poisson ? Guarantee::proven : Guarantee::estimate,
                 .notes = {fmt::format("accounting/tradeoff/proofs.md, 4.1: what client j sent reaches {} with "
                                       "probability pi = {:.6g}",
                                       is_weak ? "the other" : "others", corrected)}});
  if (is_weak) all.back().notes.emplace_back("it is for a client that sees the models of its own rounds alone");
  if (run->client_sampling != ClientSampling::poisson)
    all.back().notes.emplace_back("the theorem draws each client by itself: --client-sampling poisson");
  return all;
}

}  // namespace dpbudget::fl
