#include "dpbudget/fl/algorithms/noble_plans.h"

#include <cmath>
#include <utility>

namespace dpbudget::fl {
namespace {

constexpr const char* participation_source =
    "composition, over the rounds, of K sampled Gaussian releases made with the probability of taking part";

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

std::vector<std::string> third_party_gaps(const Run& run, ControlVariates control_variates) {
  std::vector<std::string> notes = {
      "the sampling of users is taken to amplify a record-level guarantee; amplification needs a guarantee at the "
      "level of users"};
  if (*run.local_steps > 1)
    notes.emplace_back(
        "the noise is taken to be averaged over the participants, but a local step depends on the user's own earlier "
        "iterates, which carry the user's own noise alone");
  if (control_variates == ControlVariates::present)
    notes.emplace_back(
        "Claim 4.1 is proven for the server's view only: a control variate c_i is no function of the released models");
  return notes;
}

AdversaryPlan published_third_party(const Run& run, const Sizes& sizes, const Recipe& recipe, double noise_multiplier,
                                    ControlVariates control_variates) {
  const double averaged = noise_multiplier * std::sqrt(run.user_rate * static_cast<double>(sizes.clients));
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

AdversaryPlan proven_record_level(const Recipe& recipe) {
  return under_replacement(
      Repeated{recipe.rounds, Event(Participates{recipe.users, recipe.local(recipe.noise_multiplier)})},
      Guarantee::proven, participation_source, {});
}

AdversaryPlan proven_user_level(const Run& run, const Recipe& recipe, std::uint64_t sample) {
  return under_replacement(
      Repeated{recipe.rounds,
               Event(Participates{recipe.users, Event(Repeated{recipe.local_steps,
                                                               Event(Gaussian{user_noise_multiplier(run, sample)})})})},
      Guarantee::proven, participation_source,
      {"the unit is the client: neighbouring data sets differ in all records of one client, not in their number"});
}

}  // namespace

std::optional<AdversaryPlan> noble_plan(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis,
                                        ControlVariates control_variates) {
  const std::uint64_t sample = drawn(run.record_rate, sizes.records);
  const Recipe recipe{released_rounds(run), run.local_steps.value(),
                      Rate(drawn(run.user_rate, sizes.clients), sizes.clients), Rate(sample, sizes.records),
                      record_noise_multiplier(run, sample)};
  if (basis == Basis::proven)
    return adversary == Adversary::user_level ? proven_user_level(run, recipe, sample) : proven_record_level(recipe);
  switch (adversary) {
    case Adversary::third_party:
      return published_third_party(run, sizes, recipe, recipe.noise_multiplier, control_variates);
    case Adversary::server:
      return published_server(recipe);
    case Adversary::user_level:
      break;
  }
  if (run.unit == Unit::record) return std::nullopt;
  // "Our framework can easily be adapted to user-level privacy, by setting S = 2C/s": the same formula, with the scale
  // sigma_g now read against that S.
  AdversaryPlan claim = published_third_party(run, sizes, recipe, run.noise_multiplier, control_variates);
  claim.source = "Noble, Bellet, Dieuleveut 2022, end of section 3, read with Theorem 4.1 (1)";
  claim.notes.insert(claim.notes.begin(),
                     "the unit is the client, but the sampling of records is still taken to "
                     "amplify, although replacing a client replaces every record of the sample");
  return claim;
}

}  // namespace dpbudget::fl
