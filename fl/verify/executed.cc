#include "dpbudget/fl/verify/executed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/runs.h"
#include "dpbudget/fl/account/proven_plan.h"
#include "dpbudget/fl/account/shuffled_reports.h"
#include "dpbudget/fl/round/recipe.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

bool is_positive(double value) { return 0 < value && std::isfinite(value); }

// The lines of one round: what an event of a release may depend on besides the release itself.
struct RoundView {
  const RoundEntry* entry;
  std::vector<const Participation*> participations;  // one for each client that the entry names
};

// The reports of a round's participants among which `own` of one client hide.
std::uint64_t hidden_among(const RoundView& round, std::uint64_t own, Adversary adversary) {
  if (adversary == Adversary::other_clients) return own;
  std::uint64_t reports = 0;
  std::uint64_t largest_other = 0;
  for (const Participation* participation : round.participations)
    for (const ReleaseRun& run : participation->releases) {
      reports += run.sample;
      largest_other = std::max(largest_other, run.sample);
    }
  return adversary == Adversary::one_client ? std::max(own, reports - std::min(reports, largest_other)) : reports;
}

// By what the noise of the others multiplies a participant's own, where all that is published is the weighted mean of
// one release each.
double aggregation(const Ledger& ledger, const RoundView& round, const ReleaseRun& own, double weight,
                   Adversary adversary) {
  const AlgorithmTraits& algorithm = ledger.header.run.algorithm();
  if (!algorithm.released_mean || (adversary != Adversary::third_party && adversary != Adversary::one_client)) return 1;
  // Among different clients the factor would depend on who was drawn, which the sampling of users mixes over.
  if (!sizes_of(ledger.header.run, ledger.header.clients, 0).all_alike()) return 1;
  const Participants& drawn = round.entry->participants;
  if (drawn.scheme != mechanisms::WithoutReplacement::name || drawn.weights.size() != round.participations.size())
    return 1;
  double variance = 0;
  double largest = 0;
  for (std::size_t i = 0; i < round.participations.size(); ++i) {
    const auto& releases = round.participations[i]->releases;
    if (releases.size() != 1 || releases.front().count != 1) return 1;
    const double part = std::pow(drawn.weights[i] * releases.front().noise_std, 2);
    variance += part;
    largest = std::max(largest, part);
  }
  const double own_variance = std::pow(weight * own.noise_std, 2);
  if (adversary == Adversary::one_client) variance = std::max(variance - largest, own_variance);
  const double factor = std::sqrt(variance / own_variance);
  return std::isfinite(factor) ? std::max(1.0, factor * rounding_down) : 1;
}

class Folding {
 public:
  Folding(const Ledger& ledger, Adversary adversary)
      : ledger_(ledger), adversary_(adversary), reports_(ledger.header.run, ledger.header.clients.size()) {}

  // One run of equal releases, from local step `first` on; nothing without a guarantee, or when the record makes no
  // sense as a mechanism.
  std::optional<Event> operator()(const RoundView& round, const Participation& participation, const ReleaseRun& run,
                                  std::uint64_t first) {
    if (!(1 <= run.sample && run.sample <= run.population) || !is_positive(run.clip_norm)) return std::nullopt;
    const auto release = one(round, participation, run, first);
    if (!release) return std::nullopt;
    if (uses_once(run)) return release;  // each of the `count` batches has other records; worst_of prices them
    if (adversary_ == Adversary::user_level) return Event(Repeated{run.count, *release});
    if (run.scheme != mechanisms::WithoutReplacement::name) return std::nullopt;
    return Event(Repeated{run.count, Event(sampled_batch(run.sample, run.population, *release))});
  }

  // What a report that a record is in once costs it.
  Event reported_once(double noise_multiplier, std::uint64_t reports) {
    return reports_(noise_multiplier, reports, std::nullopt);
  }

  // Whether a record is in one of these releases only, whatever their number.
  bool uses_once(const ReleaseRun& run) const {
    return run.scheme == disjoint_scheme && adversary_ != Adversary::user_level;
  }

 private:
  // The recorded noise over what the protected unit changes the release by, or, of shuffled reports, over what a record
  // changes its own. Division gives a multiplier back up to its last bits, on which the mesh of an accountant may hang,
  // and with it more than a budget found for the multiplier has to spare: where the planned one makes the recorded
  // noise, bit for bit, it is taken. It is never more than was recorded.
  double multiplier(const Participation& participation, const ReleaseRun& run, std::uint64_t first) const {
    const bool whole_client = adversary_ == Adversary::user_level;
    const bool is_report = run.mechanism == ReleaseRun::shuffled_gaussian;
    const LedgerHeader& header = ledger_.header;
    if (participation.client < header.clients.size() && 1 <= participation.round &&
        participation.round <= header.run.released_rounds()) {
      const std::vector<double> planned =
          step_noises(header.run, sizes_of(header.run, header.clients, participation.client), participation.round);
      const double divisor = is_report ? 1 : sensitivity_divisor(header.run, run.sample);
      if (first <= planned.size() && gaussian_std(planned[first - 1], run.clip_norm, divisor) == run.noise_std) {
        if (is_report) return planned[first - 1];
        return whole_client ? user_noise_multiplier(header.run, planned[first - 1], run.sample)
                            : record_noise_multiplier(header.run, planned[first - 1], run.sample);
      }
    }
    return noise_multiplier_of(run.noise_std, run.clip_norm,
                               is_report || whole_client ? 1 : static_cast<double>(run.sample));
  }

  std::optional<Event> one(const RoundView& round, const Participation& participation, const ReleaseRun& run,
                           std::uint64_t first) {
    const bool whole_client = adversary_ == Adversary::user_level;
    const auto sample = static_cast<double>(run.sample);
    const SettledRun& planned = ledger_.header.run;
    if (run.mechanism == ReleaseRun::gaussian) {
      double noise = multiplier(participation, run, first);
      if (!is_positive(noise)) return std::nullopt;
      if (run.count_noise) noise = joint_noise(noise, *run.count_noise / (whole_client ? sample : 1));
      return Gaussian{noise * aggregation(ledger_, round, run, weight_of(round, participation), adversary_)};
    }
    if (run.mechanism == ReleaseRun::shuffled_gaussian) {
      const double noise = multiplier(participation, run, first);
      if (!is_positive(noise)) return std::nullopt;
      if (whole_client) return Gaussian{noise * rounding_down / std::sqrt(sample)};
      const std::uint64_t reports = hidden_among(round, run.sample, adversary_);
      if (uses_once(run)) return Shuffled{reports, Event(Gaussian{noise})};
      return reports_(noise, reports, ShuffledReports::Batch{run.sample, run.population});
    }
    if (run.mechanism == ReleaseRun::shuffled_binomial && run.encoder && !whole_client)
      return binomial_event(*run.encoder, hidden_among(round, run.sample, adversary_), run.coordinates, planned->delta);
    return std::nullopt;
  }

  static double weight_of(const RoundView& round, const Participation& participation) {
    const Participants& drawn = round.entry->participants;
    const auto found = std::ranges::find(drawn.clients, participation.client);
    const auto slot = static_cast<std::size_t>(found - drawn.clients.begin());
    return slot < drawn.weights.size() ? drawn.weights[slot] : 1;
  }

  const Ledger& ledger_;
  Adversary adversary_;
  ShuffledReports reports_;
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
  const bool has_own = client < header.run->silo_noise.size();
  return !sizes.noise_multiplier || (has_own && header.run->silo_noise[client] == *sizes.noise_multiplier);
}

std::map<std::uint64_t, RoundView> views_of(const Ledger& ledger) {
  std::map<std::uint64_t, RoundView> views;
  for (const RoundEntry& entry : ledger.rounds) views[entry.round] = {&entry, {}};
  for (const Participation& participation : ledger.participations) {
    const auto found = views.find(participation.round);
    if (found != views.end()) found->second.participations.push_back(&participation);
  }
  return views;
}

// The events of one participation, disjoint batches apart: of those a record is in one only, whichever it is.
struct Parts {
  EventRuns sampled;
  EventRuns used_once;
};

bool add_parts(Folding& fold, const RoundView& round, const Participation& participation, Parts& parts) {
  std::uint64_t first = 1;
  for (const ReleaseRun& run : participation.releases) {
    const auto event = fold(round, participation, run, first);
    first += run.count;
    if (!event) return false;
    if (const auto* repeated = std::get_if<Repeated>(&*event))
      parts.sampled.add(*repeated->inner, run.count);
    else
      parts.used_once.add(*event);
  }
  return true;
}

// What a client would release in a round by the header's run, as the line that would say so; nothing where it is no
// Gaussian release of its own.
std::optional<Participation> planned_participation(const LedgerHeader& header, std::uint64_t round,
                                                   std::uint64_t client) {
  if (client >= header.clients.size() || round == 0 || round > header.run.released_rounds()) return std::nullopt;
  const BatchRecipe recipe =
      recipe_of(header.run, sizes_of(header.run, header.clients, client), round, header.run->clip_norm);
  const bool is_disjoint = recipe.batches == Batches::disjoint;
  if (recipe.mechanism != Mechanism::gaussian || recipe.clipping == Clipping::median) return std::nullopt;
  Participation planned{round, client, {}};
  for (const double multiplier : recipe.noise_multipliers) {
    const double noise_std = gaussian_std(multiplier, recipe.clip_norm, recipe.divisor);
    if (!planned.releases.empty() && planned.releases.back().noise_std == noise_std) {
      ++planned.releases.back().count;
      continue;
    }
    ReleaseRun release;
    release.count = 1;
    release.mechanism = ReleaseRun::gaussian;
    release.clip_norm = recipe.clip_norm;
    release.noise_std = noise_std;
    release.sample = recipe.sample;
    release.population = header.clients[client];
    release.scheme = is_disjoint ? disjoint_scheme : mechanisms::WithoutReplacement::name;
    release.count_noise = recipe.count_noise;
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

// The one of several releases of which a record is in a single one, whichever that is: of Gaussians, the one with the
// least noise; of reports with Gaussian noise, one with the least noise among the fewest reports; of binomials, which
// all have the same noise, all that there are.
Event worst_of(const EventRuns& events, Folding& fold) {
  double least_noise = std::numeric_limits<double>::infinity();
  std::optional<std::uint64_t> fewest_reports;
  for (const Event& event : events.distinct()) {
    const auto* shuffled = std::get_if<Shuffled>(&event);
    const auto* gaussian = std::get_if<Gaussian>(shuffled != nullptr ? &*shuffled->inner : &event);
    if (gaussian == nullptr) return events.once_each();
    least_noise = std::min(least_noise, gaussian->noise_multiplier.value());
    if (shuffled != nullptr)
      fewest_reports = std::min(fewest_reports.value_or(shuffled->reports.value()), shuffled->reports.value());
  }
  if (!fewest_reports) return Gaussian{least_noise};
  return fold.reported_once(least_noise, *fewest_reports);
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
  EventRuns used_once;
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
      for (const Event& event : parts.used_once.distinct()) used_once.add(event);
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
        for (const Event& event : parts.used_once.distinct()) used_once.add(event);
    }
    rounds.add(Participates{largest, worst_of(used_once, fold)});
  }
  return Plan{rounds.event(), Adjacency::replace_one};
}

std::optional<Plan> realised_plan(const Ledger& ledger, std::uint64_t client) {
  Folding fold(ledger, Adversary::server);
  const auto views = views_of(ledger);
  EventRuns participations;
  EventRuns used_once;
  for (const auto& [number, round] : views)
    for (const Participation* participation : round.participations) {
      if (participation->client != client) continue;
      Parts parts;
      if (!add_parts(fold, round, *participation, parts)) return std::nullopt;
      for (const Event& event : parts.used_once.distinct()) used_once.add(event);
      if (!parts.sampled.empty()) participations.add(parts.sampled.event());
    }
  if (!used_once.empty()) {
    if (!batches_are_disjoint(ledger, client)) return std::nullopt;
    participations.add(worst_of(used_once, fold));
  }
  return Plan{participations.empty() ? Event(Composed{}) : participations.event(), Adjacency::replace_one};
}

}  // namespace dpbudget::fl
