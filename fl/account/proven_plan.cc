#include "dpbudget/fl/account/proven_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/runs.h"
#include "dpbudget/fl/account/release_event.h"
#include "dpbudget/fl/round/participants.h"
#include "dpbudget/fl/round/passes.h"
#include "dpbudget/fl/round/recipe.h"

namespace dpbudget::fl {
namespace {

constexpr const char* composition_source =
    "composition, over the rounds, of the sampled releases made with the probability of taking part";

constexpr const char* whole_client =
    "the unit is the client: neighbouring data sets differ in all records of one client, not in their number";

constexpr const char* passes_source =
    "composition, over the rounds, of passes over shuffled records made with the probability of taking part: "
    "fl/account/proofs.md, 11.1";

// Whether a client hides behind the noise of the other participants: among different clients the factor would depend on
// who was drawn, which the sampling of users mixes over.
// fl/account/proofs.md, 2.2 and 2.4
bool hides_in_the_mean(const SettledRun& run, const Sizes& sizes) {
  const bool subsets =
      run->client_sampling == ClientSampling::uniform || run->client_sampling == ClientSampling::fedavg;
  return run.algorithm().released_mean && run.local_steps() == 1 && subsets && run->silo_noise.empty() &&
         sizes.all_alike();
}

// Calls visit(view) for what a client releases in each step of a round; with binomial noise once for all of them.
template <class Visit>
void for_each_release(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t number,
                      const Visit& visit) {
  const std::uint64_t participants = drawn(run->user_rate, sizes.clients);
  ReleaseView view;
  view.mechanism = run.algorithm().mechanism;
  view.sample = batch_of(run, sizes.records);
  view.population = sizes.records;
  view.batches = run->batches;
  view.reports = fewest_reports(run, sizes, view.sample);
  view.dimension = sizes.dimension;
  if (const auto* adaptive = std::get_if<AdaptiveClipping>(&run->clipping)) view.count_noise = adaptive->noise;
  if (hides_in_the_mean(run, sizes)) view.variances = {1, static_cast<double>(participants), 1};
  if (traits_of(view.mechanism).encodes_bits) {
    view.encoder = encoder_of(run, run->clip_norm);
    visit(view);
    return;
  }
  for (const double noise : step_noises(run, sizes, number)) {
    view.noise_multiplier = unit_noise_multiplier(run, view.mechanism, adversary, noise, view.sample);
    visit(view);
  }
}

// What a client releases in a round, which is several releases of each batch, or passes over its records; nothing where
// no theorem covers it.
// fl/account/proofs.md, 1.1 and 11.1
std::optional<Event> round_of_releases(ReleaseAccount& account, const SettledRun& run, const Sizes& sizes,
                                       Adversary adversary, std::uint64_t number) {
  EventRuns steps;
  bool is_covered = true;
  const auto add = [&](const std::optional<Event>& event) {
    is_covered = is_covered && event;
    if (event) steps.add(*event);
  };
  std::vector<ReleaseView> of_pass;
  const auto end_pass = [&] {
    if (!of_pass.empty()) add(account.pass(of_pass, of_pass.size()));
    of_pass.clear();
  };
  for_each_release(run, sizes, adversary, number, [&](const ReleaseView& view) {
    if (!account.counts_by_pass(view)) return add(account(view));
    of_pass.push_back(view);
    if (of_pass.size() == Passes(view.population, view.sample).batches()) end_pass();
  });
  end_pass();
  return is_covered ? std::optional(steps.event()) : std::nullopt;
}

// Calls visit(number, count) for each stretch of rounds with the same noise: `count` of them, from `number` on.
template <class Visit>
void for_each_stretch(const SettledRun& run, std::uint64_t rounds, const Visit& visit) {
  for (std::uint64_t number = 1; number <= rounds;) {
    const std::uint64_t next = std::min(next_noise_change(run, number), rounds + 1);
    visit(number, next - number);
    number = next;
  }
}

// fl/account/proofs.md, 1.2
std::optional<Event> round_of(ReleaseAccount& account, const SettledRun& run, const Sizes& sizes, Adversary adversary,
                              std::uint64_t number) {
  auto releases = round_of_releases(account, run, sizes, adversary, number);
  if (!releases) return std::nullopt;
  return Participates{participation_rate(run, sizes), *std::move(releases)};
}

// fl/account/proofs.md, 1.1 and 1.2
std::optional<Event> all_rounds(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t rounds) {
  ReleaseAccount account(run, sizes.clients, adversary);
  const auto round_event = [&](std::uint64_t number) { return round_of(account, run, sizes, adversary, number); };
  if (run.has_constant_noise()) {
    const auto round = round_event(1);
    return round ? std::optional<Event>(Repeated{rounds, *round}) : std::nullopt;
  }
  EventRuns all;
  bool is_covered = true;
  for_each_stretch(run, rounds, [&](std::uint64_t number, std::uint64_t count) {
    const auto round = round_event(number);
    is_covered = is_covered && round;
    if (round) all.add(*round, count);
  });
  return is_covered ? std::optional(all.event()) : std::nullopt;
}

// The one release that a record is in, with the least noise that any has.
// fl/account/proofs.md, 3.1
std::optional<Event> one_release(const SettledRun& run, const Sizes& sizes, Adversary adversary, std::uint64_t rounds) {
  std::vector<ReleaseView> least;
  for_each_stretch(run, rounds, [&](std::uint64_t number, std::uint64_t /*count*/) {
    for_each_release(run, sizes, adversary, number, [&](const ReleaseView& view) {
      if (least.empty() || view.noise_multiplier < least.front().noise_multiplier) least = {view};
    });
  });
  const auto release = ReleaseAccount(run, sizes.clients, adversary).once(least);
  if (!release) return std::nullopt;
  return Participates{participation_rate(run, sizes), *release};
}

// What is let through, whatever of it there will be.
AdversaryPlan let_through(const SettledRun& run) {
  const filter::Filter& filter = *run.filter();
  AdversaryPlan proven{{filter.equivalent(), Adjacency::replace_one},
                       Guarantee::proven,
                       filter.guarantee().theorems.front() + "; rounds: fl/account/proofs.md, 12.2",
                       {}};
  proven.notes.emplace_back(
      fmt::format("a filter lets rounds through as long as they keep to the run's own budget against {}: the bound is "
                  "of all that it may let through, however little that was",
                  to_string(run->budget_for)));
  proven.notes.emplace_back(
      "the noise follows validation errors, which are functions of released models only if the test records are "
      "public");
  return proven;
}

// Each source, and what a reader must know besides.
AdversaryPlan described(Event event, const SettledRun& run, const Sizes& sizes, Adversary adversary, bool is_once) {
  const bool is_binomial = traits_of(run.algorithm().mechanism).encodes_bits;
  const bool by_passes = run->batches == Batches::shuffled && adversary != Adversary::user_level;
  AdversaryPlan proven{{std::move(event), Adjacency::replace_one},
                       Guarantee::proven,
                       is_binomial ? "shifted binomials: fl/account/proofs.md, 8.1; each record is used once"
                       : is_once   ? "parallel composition: every record is used once"
                       : by_passes ? passes_source
                                   : composition_source,
                       {}};
  if (by_passes && !run.has_constant_noise())
    proven.notes.emplace_back("where the batches of a pass have different noises, each counts with the least of them");
  if (is_binomial) proven.notes.emplace_back(fmt::format("the pair is that of delta {}", run->delta / 2));
  if (adversary == Adversary::user_level) proven.notes.emplace_back(whole_client);
  const std::uint64_t participants = drawn(run->user_rate, sizes.clients);
  if (!hides_in_the_mean(run, sizes)) return proven;
  if (adversary == Adversary::third_party && participants > 1)
    proven.notes.emplace_back(
        "the noise is that of the mean of all participants: with one local step nothing else is published");
  if (adversary == Adversary::one_client && participants > 2)
    proven.notes.emplace_back("the noise is that of the mean of all participants but the adversary");
  return proven;
}

}  // namespace

std::optional<AdversaryPlan> proven_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                         std::uint64_t rounds) {
  if (std::holds_alternative<MedianClipping>(run->clipping)) return std::nullopt;
  if (run.validation()) {
    require(run.filter() != nullptr, "schedule", run.written().schedule,
            "one that names its filter, where the clients are not known");
    if (!is_covered_by(adversary, run->budget_for)) return std::nullopt;
    auto proven = let_through(run);
    if (adversary == Adversary::user_level) proven.notes.emplace_back(whole_client);
    return proven;
  }
  const bool is_once = run->batches == Batches::disjoint && adversary != Adversary::user_level;
  auto event = is_once ? one_release(run, sizes, adversary, rounds) : all_rounds(run, sizes, adversary, rounds);
  if (!event) return std::nullopt;
  return described(*std::move(event), run, sizes, adversary, is_once);
}

std::optional<Event> proven_round(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                  std::uint64_t number) {
  ReleaseAccount account(run, sizes.clients, adversary);
  return round_of(account, run, sizes, adversary, number);
}

std::optional<AdversaryPlan> proven_plan(const SettledRun& run, const Sizes& sizes, Adversary adversary) {
  return proven_plan(run, sizes, adversary, run.released_rounds());
}

}  // namespace dpbudget::fl
