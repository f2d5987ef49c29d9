#include "dpbudget/fl/verify/executed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/runs.h"
#include "dpbudget/fl/account/release_event.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

bool is_positive(double value) { return 0 < value && std::isfinite(value); }

// The lines of one round: what a release may hide among.
struct RoundView {
  const RoundEntry* entry;
  std::vector<const Participation*> participations;  // one for each client that the entry names
  std::optional<Shares<double>> variances;           // in the mean, where that is all that is published; `own` is unset
  Shares<std::uint64_t> reports = {0, 0, 0};         // likewise
};

// The variances that the participants bring to the weighted mean of one release each; nothing where more is published.
std::optional<Shares<double>> variances_in(const Ledger& ledger, const RoundView& round) {
  if (!ledger.header.run.algorithm().released_mean) return std::nullopt;
  // Among different clients the factor would depend on who was drawn, which the sampling of users mixes over.
  if (!sizes_of(ledger.header.run, ledger.header.clients, 0).all_alike()) return std::nullopt;
  const Participants& drawn = round.entry->participants;
  if (drawn.scheme != mechanisms::WithoutReplacement::name || drawn.weights.size() != round.participations.size())
    return std::nullopt;
  Shares<double> variances{0, 0, 0};
  for (std::size_t i = 0; i < round.participations.size(); ++i) {
    const auto& releases = round.participations[i]->releases;
    if (releases.size() != 1 || releases.front().count != 1) return std::nullopt;
    const double part = std::pow(drawn.weights[i] * releases.front().noise_std, 2);
    variances.all += part;
    variances.largest = std::max(variances.largest, part);
  }
  return variances;
}

double weight_of(const RoundView& round, const Participation& participation) {
  const Participants& drawn = round.entry->participants;
  const auto found = std::ranges::find(drawn.clients, participation.client);
  const auto slot = static_cast<std::size_t>(found - drawn.clients.begin());
  return slot < drawn.weights.size() ? drawn.weights[slot] : 1;
}

// One that guarantees something.
std::optional<Mechanism> mechanism_of(const ReleaseRun& run) {
  const auto mechanism = find_mechanism(run.mechanism);
  if (!mechanism || !traits_of(*mechanism).adds_noise) return std::nullopt;
  return traits_of(*mechanism).encodes_bits && !run.encoder ? std::nullopt : mechanism;
}

std::optional<Batches> batches_of(std::string_view scheme) {
  for (const auto& [batches, name] : Names<Batches>::all)
    if (scheme_name(batches) == scheme) return batches;
  return std::nullopt;
}

// What was recorded, as an account takes it.
class Reading {
 public:
  Reading(const Ledger& ledger, Adversary adversary) : ledger_(ledger), adversary_(adversary) {}

  // Each of a run of equal releases, from local step `first` on; nothing without a guarantee, or when the record makes
  // no sense as a mechanism.
  std::optional<ReleaseView> operator()(const RoundView& round, const Participation& participation,
                                        const ReleaseRun& run, std::uint64_t first) const {
    if (!(1 <= run.sample && run.sample <= run.population) || !is_positive(run.clip_norm)) return std::nullopt;
    const auto mechanism = mechanism_of(run);
    const auto batches = batches_of(run.scheme);
    if (!mechanism || !batches) return std::nullopt;
    ReleaseView view;
    view.mechanism = *mechanism;
    view.sample = run.sample;
    view.population = run.population;
    view.batches = *batches;
    view.count_noise = run.count_noise;
    view.reports = round.reports;
    view.reports.own = run.sample;
    if (traits_of(*mechanism).is_shuffled) hide_among_fewest(round, participation.client, view.reports);
    view.encoder = run.encoder;
    view.dimension = run.coordinates;
    view.variances = round.variances;
    if (view.variances) view.variances->own = std::pow(weight_of(round, participation) * run.noise_std, 2);
    if (!traits_of(*mechanism).takes_multipliers) return view;
    view.noise_multiplier = multiplier(participation, run, *mechanism, first);
    return is_positive(view.noise_multiplier) ? std::optional(view) : std::nullopt;
  }

 private:
  // Among clients of different sizes another draw might have brought fewer reports than are recorded; and of a client
  // that was not drawn what is recorded says nothing.
  void hide_among_fewest(const RoundView& round, std::uint64_t client, Shares<std::uint64_t>& recorded) const {
    const LedgerHeader& header = ledger_.header;
    if (client >= header.clients.size()) return;
    const Sizes sizes = sizes_of(header.run, header.clients, client);
    if (sizes.least_others.empty()) return;
    const Shares<std::uint64_t> fewest = fewest_reports(header.run, sizes, recorded.own);
    if (std::ranges::find(round.participations, client, &Participation::client) == round.participations.end()) {
      recorded = fewest;
      return;
    }
    const std::uint64_t all_but_largest = std::min(recorded.all - recorded.largest, fewest.all - fewest.largest);
    recorded.all = std::min(recorded.all, fewest.all);
    recorded.largest = recorded.all - all_but_largest;
  }

  // The recorded noise over what the protected unit changes the release by, or, of shuffled reports, over what a record
  // changes its own. Division gives a multiplier back up to its last bits, on which the mesh of an accountant may hang,
  // and with it more than a budget found for the multiplier has to spare: where the planned one makes the recorded
  // noise, bit for bit, it is taken. It is never more than was recorded.
  double multiplier(const Participation& participation, const ReleaseRun& run, Mechanism mechanism,
                    std::uint64_t first) const {
    const bool is_report = traits_of(mechanism).is_shuffled;
    const LedgerHeader& header = ledger_.header;
    if (participation.client < header.clients.size() && 1 <= participation.round &&
        participation.round <= header.run.released_rounds()) {
      const std::vector<double> planned =
          step_noises(header.run, sizes_of(header.run, header.clients, participation.client), participation.round);
      const double divisor = is_report ? 1 : sensitivity_divisor(header.run, run.sample);
      if (first <= planned.size() && gaussian_std(planned[first - 1], run.clip_norm, divisor) == run.noise_std)
        return unit_noise_multiplier(header.run, mechanism, adversary_, planned[first - 1], run.sample);
    }
    const bool is_whole = is_report || adversary_ == Adversary::user_level;
    return noise_multiplier_of(run.noise_std, run.clip_norm, is_whole ? 1 : static_cast<double>(run.sample));
  }

  const Ledger& ledger_;
  Adversary adversary_;
};

// A ledger, read and priced.
struct Folding {
  Folding(const Ledger& ledger, Adversary adversary)
      : read(ledger, adversary), account(ledger.header.run, ledger.header.clients.size(), adversary) {}

  Reading read;
  ReleaseAccount account;
};

// The probability with which a client of the kind took part in a round, by the round's record; 1 where that makes no
// sense.
Rate rate_of(const Ledger& ledger, const RoundEntry& round, const Sizes& sizes) {
  const Participants& drawn = round.participants;
  const SettledRun& run = ledger.header.run;
  if (drawn.scheme == mechanisms::Poisson::name && 0 < drawn.rate && drawn.rate <= 1) return {drawn.rate};
  if (drawn.population == 0 || drawn.drawn > drawn.population) return {1, 1};
  if (drawn.scheme == mechanisms::WithoutReplacement::name) return {drawn.drawn, drawn.population};
  if (run->client_sampling == ClientSampling::md && drawn.scheme == scheme_of(run))
    return participation_rate(run, sizes);
  return {1, 1};
}

bool is_of_kind(const Ledger& ledger, std::uint64_t client, const Sizes& sizes) {
  const LedgerHeader& header = ledger.header;
  if (client >= header.clients.size() || header.clients[client] != sizes.records) return false;
  const bool has_weight = client < header.run->client_weights.size();
  if (sizes.weight && !(has_weight && header.run->client_weights[client] == *sizes.weight)) return false;
  const bool has_own = client < header.run->silo_noise.size();
  return !sizes.noise_multiplier || (has_own && header.run->silo_noise[client] == *sizes.noise_multiplier);
}

std::map<std::uint64_t, RoundView> views_of(const Ledger& ledger) {
  std::map<std::uint64_t, RoundView> views;
  for (const RoundEntry& entry : ledger.rounds) views[entry.round] = {&entry, {}, {}};
  for (const Participation& participation : ledger.participations) {
    const auto found = views.find(participation.round);
    if (found == views.end()) continue;
    RoundView& round = found->second;
    round.participations.push_back(&participation);
    for (const ReleaseRun& run : participation.releases) {
      round.reports.all += run.sample;
      round.reports.largest = std::max(round.reports.largest, run.sample);
    }
  }
  for (auto& [number, round] : views) round.variances = variances_in(ledger, round);
  return views;
}

// The releases of one participation, disjoint batches apart: of those a record is in one only, whichever it is.
struct Parts {
  EventRuns sampled;
  std::vector<ReleaseView> used_once;
};

bool add_parts(Folding& fold, const RoundView& round, const Participation& participation, Parts& parts) {
  std::uint64_t first = 1;
  for (const ReleaseRun& run : participation.releases) {
    const auto view = fold.read(round, participation, run, first);
    first += run.count;
    if (!view) return false;
    if (fold.account.counts_once(*view)) {
      parts.used_once.push_back(*view);
      continue;
    }
    const auto event = fold.account(*view);
    if (!event) return false;
    parts.sampled.add(*event, run.count);
  }
  return true;
}

// What a client would release in a round by the header's run, as the line that would say so; nothing where it has no
// noise, or clips to a norm that the line itself would tell.
std::optional<Participation> planned_participation(const LedgerHeader& header, std::uint64_t round,
                                                   std::uint64_t client) {
  if (client >= header.clients.size() || round == 0 || round > header.run.released_rounds()) return std::nullopt;
  const BatchRecipe recipe =
      recipe_of(header.run, sizes_of(header.run, header.clients, client), round, header.run->clip_norm);
  const MechanismTraits& mechanism = traits_of(recipe.mechanism);
  if (!mechanism.adds_noise || std::holds_alternative<MedianClipping>(recipe.clipping)) return std::nullopt;
  Participation planned{round, client, {}};
  ReleaseRun release;
  release.count = 1;
  release.mechanism = mechanism_name(recipe);
  release.clip_norm = recipe.clip_norm;
  release.sample = recipe.sample;
  release.population = header.clients[client];
  release.scheme = scheme_name(recipe.batches);
  release.count_noise = recipe.count_noise;
  release.encoder = recipe.encoder;
  release.coordinates = header.dimension;
  if (mechanism.encodes_bits) planned.releases.push_back(release);
  for (const double multiplier : recipe.noise_multipliers) {
    release.noise_std = gaussian_std(multiplier, recipe.clip_norm, mechanism.is_shuffled ? 1 : recipe.divisor);
    if (!planned.releases.empty() && planned.releases.back().noise_std == release.noise_std)
      ++planned.releases.back().count;
    else
      planned.releases.push_back(release);
  }
  return planned;
}

// The event of that; nothing where a batch is used once.
std::optional<Event> planned_event(const Ledger& ledger, Folding& fold, const RoundView& round, std::uint64_t client) {
  const auto planned = planned_participation(ledger.header, round.entry->round, client);
  Parts parts;
  if (!planned || !add_parts(fold, round, *planned, parts) || !parts.used_once.empty()) return std::nullopt;
  return parts.sampled.event();
}

// What clients did, each with its round.
struct Deeds {
  std::vector<std::pair<const RoundView*, const Participation*>> all;
  std::deque<Participation> planned;  // those of `all` that no line records
};

// What the clients of a kind did, round after round; where none of them was ever drawn, what one of them would have
// done by the header, for that is what the draw was about.
Deeds deeds_of(const Ledger& ledger, const std::map<std::uint64_t, RoundView>& views, const Sizes& sizes) {
  Deeds deeds;
  for (const auto& [number, round] : views)
    for (const Participation* participation : round.participations)
      if (is_of_kind(ledger, participation->client, sizes)) deeds.all.emplace_back(&round, participation);
  if (!deeds.all.empty()) return deeds;
  std::uint64_t client = 0;
  while (client < ledger.header.clients.size() && !is_of_kind(ledger, client, sizes)) ++client;
  for (const auto& [number, round] : views) {
    auto planned = planned_participation(ledger.header, number, client);
    if (!planned) return {};
    deeds.all.emplace_back(&round, &deeds.planned.emplace_back(*std::move(planned)));
  }
  return deeds;
}

// Whether no batch of a client overlaps an earlier one of it.
bool batches_are_disjoint(const Ledger& ledger, std::uint64_t client) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const Participation& participation : ledger.participations) {
    if (participation.client != client) continue;
    for (const ReleaseRun& run : participation.releases)
      if (run.first) ranges.emplace_back(*run.first, *run.first + run.count * run.sample);
  }
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second) return false;
  return true;
}

}  // namespace

std::optional<Plan> executed_plan(const Ledger& ledger, const Sizes& sizes, Adversary adversary) {
  Folding fold(ledger, adversary);
  const auto views = views_of(ledger);
  std::map<std::uint64_t, EventRuns> by_round;
  EventRuns ever;
  std::vector<ReleaseView> used_once;
  std::set<std::uint64_t> present;
  // With a constant schedule the other rounds tell as much.
  bool is_as_planned = !ledger.header.run.has_constant_noise();
  std::uint64_t one_of_them = 0;
  const Deeds deeds = deeds_of(ledger, views, sizes);
  for (const auto& [round, participation] : deeds.all) {
    Parts parts;
    if (!add_parts(fold, *round, *participation, parts)) return std::nullopt;
    if (!parts.used_once.empty()) {
      if (!batches_are_disjoint(ledger, participation->client)) return std::nullopt;
      used_once.insert(used_once.end(), parts.used_once.begin(), parts.used_once.end());
    }
    one_of_them = participation->client;
    present.insert(round->entry->round);
    if (parts.sampled.empty()) continue;
    is_as_planned =
        is_as_planned && planned_event(ledger, fold, *round, participation->client) == parts.sampled.event();
    by_round[round->entry->round].add(parts.sampled.event());
    ever.add(parts.sampled.event());
  }
  if (ever.empty() && used_once.empty()) return std::nullopt;
  EventRuns rounds;
  if (!ever.empty())
    for (const auto& [number, round] : views) {
      const auto found = by_round.find(number);
      std::optional<Event> event;
      if (found == by_round.end() && is_as_planned) event = planned_event(ledger, fold, round, one_of_them);
      if (!event) event = (found == by_round.end() ? ever : found->second).once_each();
      rounds.add(Participates{rate_of(ledger, *round.entry, sizes), *std::move(event)});
    }
  if (!used_once.empty()) {
    // Which round used a record is not told: the largest rate of all, and the least noise.
    Rate largest = rate_of(ledger, *views.begin()->second.entry, sizes);
    for (const auto& [number, round] : views) {
      const Rate rate = rate_of(ledger, *round.entry, sizes);
      if (largest.value() < rate.value()) largest = rate;
      const auto planned =
          present.contains(number) ? std::nullopt : planned_participation(ledger.header, number, one_of_them);
      Parts parts;
      if (planned && add_parts(fold, round, *planned, parts))
        used_once.insert(used_once.end(), parts.used_once.begin(), parts.used_once.end());
    }
    const auto worst = fold.account.once(used_once);
    if (!worst) return std::nullopt;
    rounds.add(Participates{largest, *worst});
  }
  return Plan{rounds.event(), Adjacency::replace_one};
}

std::optional<Plan> realised_plan(const Ledger& ledger, std::uint64_t client) {
  Folding fold(ledger, Adversary::server);
  const auto views = views_of(ledger);
  EventRuns participations;
  std::vector<ReleaseView> used_once;
  for (const auto& [number, round] : views)
    for (const Participation* participation : round.participations) {
      if (participation->client != client) continue;
      Parts parts;
      if (!add_parts(fold, round, *participation, parts)) return std::nullopt;
      used_once.insert(used_once.end(), parts.used_once.begin(), parts.used_once.end());
      if (!parts.sampled.empty()) participations.add(parts.sampled.event());
    }
  if (!used_once.empty()) {
    if (!batches_are_disjoint(ledger, client)) return std::nullopt;
    const auto worst = fold.account.once(used_once);
    if (!worst) return std::nullopt;
    participations.add(*worst);
  }
  return Plan{participations.empty() ? Event(Composed{}) : participations.event(), Adjacency::replace_one};
}

}  // namespace dpbudget::fl
