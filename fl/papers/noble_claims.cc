#include "dpbudget/fl/papers/noble_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/fl/papers/chang_claims.h"
#include "dpbudget/fl/papers/noble_published.h"
#include "dpbudget/fl/run/noise_scale.h"

namespace dpbudget::fl {
namespace {

// What one run and one client have in common with every plan below.
struct Recipe {
  std::uint64_t rounds;
  std::uint64_t local_steps;
  Rate users;
  Rate records;
  double noise_multiplier;  // over 2 C / m

  Event local(double noise) const {
    return Repeated{local_steps, Event(SampledWithoutReplacement{records, Event(Gaussian{noise})})};
  }
};

AdversaryPlan under_replacement(Event event, Guarantee guarantee, std::string source, std::vector<std::string> notes) {
  return {Plan{std::move(event), Adjacency::replace_one}, guarantee, std::move(source), std::move(notes)};
}

std::vector<std::string> third_party_gaps(const SettledRun& run, ControlVariates control_variates) {
  std::vector<std::string> notes = {
      "the sampling of users is taken to amplify a record-level guarantee; amplification needs a guarantee at the "
      "level of users"};
  if (run.local_steps() > 1)
    notes.emplace_back(
        "the noise is taken to be averaged over the participants, but a local step depends on the user's own earlier "
        "iterates, which carry the user's own noise alone");
  if (control_variates == ControlVariates::present)
    notes.emplace_back(
        "Claim 4.1 is proven for the server's view only: a control variate c_i is no function of the released models");
  return notes;
}

AdversaryPlan published_third_party(const SettledRun& run, const Sizes& sizes, const Recipe& recipe,
                                    double noise_multiplier, ControlVariates control_variates) {
  const double averaged = noise_multiplier * std::sqrt(run->user_rate * static_cast<double>(sizes.clients));
  return under_replacement(
      Repeated{recipe.rounds, Event(SampledWithoutReplacement{recipe.users, recipe.local(averaged)})},
      Guarantee::estimate, "Noble, Bellet, Dieuleveut 2022, Theorem 4.1 (1) and appendix B.4",
      third_party_gaps(run, control_variates));
}

AdversaryPlan published_server(const Recipe& recipe) {
  return under_replacement(
      Repeated{recipe.rounds, recipe.local(recipe.noise_multiplier)}, Guarantee::proven,
      "Noble, Bellet, Dieuleveut 2022, Theorem 4.1 (2) and appendix B.4, by composition in Renyi DP",
      {"the theorem prints an order of magnitude, O(epsilon sqrt(M / l)), valid as s -> 0 and for epsilon < 1; this is "
       "the composition that its proof bounds, for a client that takes part in every round"});
}

double noise_of_release(const SettledRun& run, const Sizes& sizes) {
  return sizes.noise_multiplier.value_or(run->noise_multiplier);
}

// What the theorem covers.
bool is_covered(const SettledRun& run) {
  return run.has_constant_noise() && run->client_sampling == ClientSampling::uniform &&
         run->weights == Weights::equal && run->client_weights.empty() &&
         std::holds_alternative<FixedClipping>(run->clipping) && run->batches == Batches::fresh;
}

// The noise that the paper's arithmetic takes as its sigma_g: at user level it is scaled to 2 C / s by itself.
double noise_as_published(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  const double noise = noise_of_release(run, sizes);
  return adversary == Adversary::user_level ? noise : record_noise_multiplier(run, noise, batch_of(run, sizes.records));
}

bool is_an_estimate(Adversary adversary) {
  return adversary == Adversary::third_party || adversary == Adversary::user_level;
}

}  // namespace

std::optional<AdversaryPlan> noble_claim(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                         ControlVariates control_variates) {
  if (!is_covered(run)) return std::nullopt;
  const std::uint64_t sample = batch_of(run, sizes.records);
  const double noise = noise_of_release(run, sizes);
  const Recipe recipe{run.released_rounds(), run.local_steps(),
                      Rate(drawn(run->user_rate, sizes.clients), sizes.clients), Rate(sample, sizes.records),
                      record_noise_multiplier(run, noise, sample)};
  if (adversary == Adversary::third_party)
    return published_third_party(run, sizes, recipe, recipe.noise_multiplier, control_variates);
  if (adversary == Adversary::server) return published_server(recipe);
  if (adversary != Adversary::user_level || run->unit == Unit::record) return std::nullopt;
  // "Our framework can easily be adapted to user-level privacy, by setting S = 2C/s": the same formula, with the scale
  // sigma_g now read against that S.
  AdversaryPlan claim = published_third_party(run, sizes, recipe, noise, control_variates);
  claim.source = "Noble, Bellet, Dieuleveut 2022, end of section 3, read with Theorem 4.1 (1)";
  claim.notes.insert(claim.notes.begin(),
                     "the unit is the client, but the sampling of records is still taken to "
                     "amplify, although replacing a client replaces every record of the sample");
  return claim;
}

std::optional<double> noble_claimed_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                            double delta) {
  if (!is_an_estimate(adversary)) return std::nullopt;
  return noble_third_party_epsilon_as_printed(
      static_cast<double>(run.released_rounds()), static_cast<double>(run.local_steps()),
      static_cast<double>(sizes.clients), run->user_rate, record_rate_of(run, sizes.records),
      noise_as_published(run, sizes, adversary), delta);
}

std::optional<std::uint64_t> noble_claimed_rounds(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                                  double epsilon, double delta) {
  if (!is_an_estimate(adversary)) return std::nullopt;
  return noble_third_party_rounds_as_published(
      epsilon, static_cast<double>(run.local_steps()), static_cast<double>(sizes.clients), run->user_rate,
      record_rate_of(run, sizes.records), noise_as_published(run, sizes, adversary), delta);
}

std::optional<AdversaryPlan> NobleClaims::published(const SettledRun& run, const Sizes& sizes,
                                                    Adversary adversary) const {
  if (control_variates_ == ControlVariates::present && !run.has_constant_noise())
    return chang_claim(run, sizes, adversary);
  return noble_claim(run, sizes, adversary, control_variates_);
}

std::optional<double> NobleClaims::published_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                                     double delta) const {
  if (control_variates_ == ControlVariates::present && !run.has_constant_noise())
    return chang_claimed_epsilon(run, sizes, adversary, delta);
  return noble_claimed_epsilon(run, sizes, adversary, delta);
}

std::string NobleClaims::silence(const SettledRun& run, const Sizes& /*sizes*/, Adversary adversary) const {
  if (adversary == Adversary::one_client || adversary == Adversary::other_clients)
    return "the paper says nothing of other clients";
  if (run->batches != Batches::fresh) return "the paper draws fresh batches without replacement";
  if (!run.has_constant_noise())
    return control_variates_ == ControlVariates::present
               ? "Noble et al. keep their noise constant, and Chang et al. claim nothing of this schedule or adversary"
               : "the paper keeps its noise constant";
  if (run->client_sampling != ClientSampling::uniform || run->weights != Weights::equal || !run->client_weights.empty())
    return "the paper draws users uniformly and weighs them alike";
  if (!std::holds_alternative<FixedClipping>(run->clipping)) return "the paper's clipping norm is fixed";
  return "the paper's noise for a user is --unit user";
}

std::vector<Stated> NobleClaims::stated(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                        double delta) const {
  if (!is_covered(run) || (adversary != Adversary::third_party && adversary != Adversary::server)) return {};
  const bool is_server = adversary == Adversary::server;
  const auto rounds = static_cast<double>(run.released_rounds());
  const auto users = static_cast<double>(sizes.clients);
  // Each round is converted by itself, which takes higher orders than converting all of them.
  constexpr int most_orders = 1000;
  const PublishedClaim whole = noble_epsilon_without_approximation(
      is_server ? NobleView::server : NobleView::third_party, rounds, static_cast<double>(run.local_steps()), users,
      run->user_rate, record_rate_of(run, sizes.records), noise_as_published(run, sizes, adversary), delta,
      most_orders);
  std::vector<Stated> all = {
      {.source = fmt::format("Noble, Bellet, Dieuleveut 2022, appendix B.4 without approximation{}",
                             whole.order > 0 ? fmt::format(", at order {:.6g}", whole.order) : ""),
       .epsilon = whole.epsilon,
       .delta = delta,
       .guarantee = Guarantee::estimate,
       .notes = {}}};
  if (!is_server) {
    all[0].notes = third_party_gaps(run, control_variates_);
    return all;
  }
  const auto third_party = noble_claimed_epsilon(run, sizes, Adversary::third_party, delta);
  const double rate = run->user_rate;
  all.push_back(
      {.source = "Noble, Bellet, Dieuleveut 2022, Theorem 4.1 (2): epsilon_s = epsilon sqrt(M / l), delta_s = "
                 "(1/l + 1) delta / 2",
       .epsilon = *third_party * std::sqrt(users / rate),
       .delta = std::min(1.0, (1 / rate + 1) * delta / 2),
       .guarantee = Guarantee::estimate,
       .notes = {fmt::format("an order of magnitude, read with constant 1 at the epsilon {:.6g} that is claimed "
                             "against a third party",
                             *third_party)}});
  return all;
}

std::optional<std::uint64_t> NobleClaims::published_rounds(const SettledRun& run, const Sizes& sizes,
                                                           Adversary adversary, double epsilon, double delta) const {
  if (control_variates_ == ControlVariates::present && !run.has_constant_noise()) return std::nullopt;
  return noble_claimed_rounds(run, sizes, adversary, epsilon, delta);
}

}  // namespace dpbudget::fl
