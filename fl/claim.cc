#include "dpbudget/fl/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dpbudget/accounting/accountant.h"
#include "dpbudget/accounting/solve/rounds.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/algorithms/noble_published.h"

namespace dpbudget::fl {
namespace {

AdversaryPlan claim_of(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  auto claim = plan(run, sizes, adversary, basis);
  if (!claim)
    throw InvalidArgument(
        fmt::format("there is no {} plan of {} for {}", to_string(basis), run.algorithm, to_string(adversary)));
  return std::move(*claim);
}

// The noise that the paper's arithmetic takes as its sigma_g: at user level it is scaled to 2 C / s by itself.
double published_noise(const Run& run, const Sizes& sizes, Adversary adversary) {
  return adversary == Adversary::user_level ? run.noise_multiplier
                                            : record_noise_multiplier(run, drawn(run.record_rate, sizes.records));
}

}  // namespace

Bound claimed_epsilon(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis, double delta) {
  const AdversaryPlan claim = claim_of(run, sizes, adversary, basis);
  if (claim.guarantee == Guarantee::proven) return make_accountant(AccountantName::best, claim.plan)->epsilon(1, delta);
  const double printed = noble_third_party_epsilon_as_printed(
      static_cast<double>(released_rounds(run)), static_cast<double>(*run.local_steps),
      static_cast<double>(sizes.clients), run.user_rate, run.record_rate, published_noise(run, sizes, adversary),
      delta);
  return {.lower = 0,
          .upper = printed,
          .guarantee = Guarantee::estimate,
          .theorem = claim.source,
          .notes = claim.notes,
          .accountant = {}};
}

std::uint64_t claimed_rounds(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis, double epsilon,
                             double delta) {
  Run one_round = run;
  one_round.rounds = 1;
  one_round.warm_start_rounds = 0;
  const AdversaryPlan claim = claim_of(one_round, sizes, adversary, basis);
  const std::uint64_t released =
      claim.guarantee == Guarantee::proven
          ? solve::rounds(claim.plan, AccountantName::best, default_tolerance, epsilon, delta).rounds
          : noble_third_party_rounds_as_published(epsilon, static_cast<double>(*run.local_steps),
                                                  static_cast<double>(sizes.clients), run.user_rate, run.record_rate,
                                                  published_noise(run, sizes, adversary), delta);
  const std::uint64_t warm = released_rounds(run) - run.rounds;
  return released - std::min(released, warm);
}

}  // namespace dpbudget::fl
