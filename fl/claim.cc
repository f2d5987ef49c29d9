#include "dpbudget/fl/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dpbudget/accounting/accountant.h"
#include "dpbudget/accounting/plan/ranges.h"
#include "dpbudget/accounting/solve/rounds.h"
#include "dpbudget/fl/algorithm.h"
#include "dpbudget/fl/algorithms/catalogue.h"

namespace dpbudget::fl {
namespace {

AdversaryPlan claim_of(const Run& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  auto claim = plan(run, sizes, adversary, basis);
  if (!claim)
    throw InvalidArgument(
        fmt::format("there is no {} plan of {} for {}", to_string(basis), run.algorithm, to_string(adversary)));
  return std::move(*claim);
}

}  // namespace

Bound claimed_epsilon(const Run& given, const Sizes& sizes, Adversary adversary, Basis basis, double delta) {
  Run run = given;
  run.delta = delta;  // what a claim presumes may depend on it
  const AdversaryPlan claim = claim_of(run, sizes, adversary, basis);
  if (basis == Basis::published) {
    const auto printed =
        find_algorithm(run.algorithm).algorithm->published_epsilon(completed(run), sizes, adversary, delta);
    if (printed)
      return {.lower = 0,
              .upper = *printed,
              .guarantee = claim.guarantee,
              .theorem = claim.source,
              .notes = claim.notes,
              .accountant = {}};
  }
  Bound bound = make_accountant(AccountantName::best, claim.plan)->epsilon(1, delta);
  if (claim.guarantee == Guarantee::estimate) bound.guarantee = Guarantee::estimate;
  return bound;
}

namespace {

// Whether every round costs the same, whatever their number.
bool has_equal_rounds(const Run& run, const AlgorithmEntry& algorithm) {
  return run.schedule == "constant" && run.batches == Batches::fresh && algorithm.mechanism == Mechanism::gaussian;
}

// The largest number in [0, most] for which `inside` holds, of a property that only ends.
template <class Inside>
std::uint64_t last_inside(std::uint64_t most, const Inside& inside) {
  std::uint64_t fits = 0;
  std::uint64_t exceeds = 1;
  while (exceeds <= most && inside(exceeds)) {
    fits = exceeds;
    exceeds = exceeds <= most / 2 ? 2 * exceeds : (exceeds == most ? most + 1 : most);
  }
  while (exceeds - fits > 1) {
    const std::uint64_t middle = fits + (exceeds - fits) / 2;
    (inside(middle) ? fits : exceeds) = middle;
  }
  return fits;
}

}  // namespace

std::uint64_t claimed_rounds(const Run& given, const Sizes& sizes, Adversary adversary, Basis basis, double epsilon,
                             double delta) {
  Run run = completed(given);
  run.delta = delta;
  const std::uint64_t warm = *run.warm_start_rounds;
  const AlgorithmEntry& entry = find_algorithm(run.algorithm);
  run.rounds = 1;
  const AdversaryPlan claim = claim_of(run, sizes, adversary, basis);
  std::optional<std::uint64_t> released;
  if (basis == Basis::published) released = entry.algorithm->published_rounds(run, sizes, adversary, epsilon, delta);
  const bool has_own_price =
      basis == Basis::published && entry.algorithm->published_epsilon(run, sizes, adversary, delta).has_value();
  if (!released && !has_own_price && has_equal_rounds(run, entry)) {
    // The rounds are one node, `count` times the same: its child is the round.
    const auto& all = std::get<Repeated>(claim.plan.event);
    released =
        solve::rounds({*all.inner, claim.plan.adjacency}, AccountantName::best, default_tolerance, epsilon, delta)
            .rounds;
  }
  if (released) return *released - std::min(*released, warm);
  const std::uint64_t most = run.batches == Batches::disjoint ? sizes.records : ranges::max_count - warm;
  return last_inside(most, [&](std::uint64_t rounds) {
    run.rounds = rounds;
    // A claim whose preconditions end before its budget does ends there.
    if (!plan(run, sizes, adversary, basis)) return false;
    return claimed_epsilon(run, sizes, adversary, basis, delta).upper <= epsilon;
  });
}

}  // namespace dpbudget::fl
