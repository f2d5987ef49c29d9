#include "dpbudget/fl/account/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/numeric/integer_search.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/account/run_filter.h"
#include "dpbudget/fl/algorithms/catalogue.h"

namespace dpbudget::fl {
namespace {

AdversaryPlan claim_of(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  auto claim = plan(run, sizes, adversary, basis);
  if (!claim)
    throw InvalidArgument(
        fmt::format("there is no {} plan of {} for {}", to_string(basis), run->algorithm, to_string(adversary)));
  return std::move(*claim);
}

}  // namespace

Bound claimed_epsilon(const SettledRun& given, const Sizes& sizes, Adversary adversary, Basis basis, Pricing& price) {
  const double delta = price.delta();
  const SettledRun run = given.with_delta(delta);  // what a claim presumes may depend on it
  const AdversaryPlan claim = claim_of(run, sizes, adversary, basis);
  if (basis == Basis::published) {
    const auto printed = catalogued(run->algorithm).claims.published_epsilon(run, sizes, adversary, delta);
    if (printed)
      return {.lower = 0,
              .upper = *printed,
              .guarantee = claim.guarantee,
              .theorems = {claim.source},
              .notes = claim.notes,
              .accountant = {}};
  }
  Bound bound = of_run(run, price(claim.plan));
  if (claim.guarantee == Guarantee::estimate) bound.guarantee = Guarantee::estimate;
  return bound;
}

namespace {

// Whether every round costs the same, whatever their number.
bool has_equal_rounds(const SettledRun& run) {
  return run.has_constant_noise() && run->batches != Batches::disjoint &&
         run.algorithm().mechanism == Mechanism::gaussian;
}

// The fewest rounds for which there is the claim; a claim whose precondition asks for many rounds begins late. One
// round where there is none, nor at run.rounds.
std::uint64_t first_claimed(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  const auto has_none = [&](std::uint64_t rounds) { return !plan(run.with_rounds(rounds), sizes, adversary, basis); };
  const std::uint64_t given = run->rounds;
  if (given == 1 || !has_none(1) || has_none(given)) return 1;
  return numeric::largest_that_fits(1, given, has_none) + 1;
}

std::uint64_t searched_rounds(const SettledRun& given, const Sizes& sizes, Adversary adversary, Basis basis,
                              double epsilon, Pricing& price) {
  const double delta = price.delta();
  const SettledRun asked = given.with_delta(delta);
  const std::uint64_t warm = asked.warm_start_rounds();
  const Claims& claims = catalogued(asked->algorithm).claims;
  const SettledRun run = asked.with_rounds(first_claimed(asked, sizes, adversary, basis));
  const AdversaryPlan claim = claim_of(run, sizes, adversary, basis);
  std::optional<std::uint64_t> released;
  if (basis == Basis::published) released = claims.published_rounds(run, sizes, adversary, epsilon, delta);
  const bool has_own_price =
      basis == Basis::published && claims.published_epsilon(run, sizes, adversary, delta).has_value();
  if (!released && !has_own_price && has_equal_rounds(run)) {
    // The rounds are one node, `count` times the same: its child is the round.
    const auto& all = std::get<Repeated>(claim.plan.event);
    released = price.rounds({*all.inner, claim.plan.adjacency}, epsilon);
  }
  if (released) return *released - std::min(*released, warm);
  // No claim is made beyond the end of a noise table.
  const std::uint64_t last_round = run.last_scheduled_round().value_or(ranges::max_count);
  const std::uint64_t most =
      std::min(last_round - warm, run->batches == Batches::disjoint ? sizes.records : last_round);
  const std::uint64_t first = run->rounds;
  const std::uint64_t last = numeric::largest_that_fits(first, most + 1, [&](std::uint64_t rounds) {
    if (rounds < first) return true;
    // A claim whose preconditions end before its budget does ends there.
    const SettledRun longer = run.with_rounds(rounds);
    if (!plan(longer, sizes, adversary, basis)) return false;
    return claimed_epsilon(longer, sizes, adversary, basis, price).upper <= epsilon;
  });
  return last < first ? 0 : last;
}

}  // namespace

std::uint64_t claimed_rounds(const SettledRun& given, const Sizes& sizes, Adversary adversary, Basis basis,
                             double epsilon, Pricing& price) {
  const std::uint64_t found = searched_rounds(given, sizes, adversary, basis, epsilon, price);
  if (basis == Basis::published || found >= given->rounds || !plan(given, sizes, adversary, basis)) return found;
  // The search prices numbers of rounds in its own way, which may end a hair before those that are asked about.
  return claimed_epsilon(given, sizes, adversary, basis, price).upper <= epsilon ? given->rounds : found;
}

std::string why_no_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary, Basis basis) {
  if (!run.algorithm().adds_noise()) return "it adds no noise";
  if (basis == Basis::published) return catalogued(run->algorithm).claims.silence(run, sizes, adversary);
  if (std::holds_alternative<MedianClipping>(run->clipping)) return "clipping at the median guarantees nothing";
  return "no theorem covers a whole client behind binomial noise";
}

std::vector<Stated> also_stated(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  if (!run.algorithm().adds_noise()) return {};
  return catalogued(run->algorithm).claims.stated(run, sizes, adversary, run->delta);
}

std::optional<double> prescribed_noise(const SettledRun& run, const Sizes& sizes, Adversary adversary, double epsilon) {
  if (!run.algorithm().adds_noise()) return std::nullopt;
  return catalogued(run->algorithm).claims.published_noise(run, sizes, adversary, epsilon, run->delta);
}

}  // namespace dpbudget::fl
