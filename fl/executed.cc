#include "dpbudget/fl/executed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

// Distinct events with how often each occurred, in the order of their first occurrence.
class Tally {
 public:
  void add(const Event& event, std::uint64_t count = 1) {
    const auto found = std::ranges::find(counts_, event, &std::pair<Event, std::uint64_t>::first);
    if (found == counts_.end())
      counts_.emplace_back(event, count);
    else
      found->second += count;
  }

  bool empty() const { return counts_.empty(); }

  Event repeated() const {
    std::vector<Event> parts;
    parts.reserve(counts_.size());
    for (const auto& [event, count] : counts_) parts.emplace_back(Repeated{count, event});
    return compose(std::move(parts));
  }

  Event once_each() const {
    std::vector<Event> parts;
    parts.reserve(counts_.size());
    for (const auto& [event, count] : counts_) parts.push_back(event);
    return compose(std::move(parts));
  }

 private:
  std::vector<std::pair<Event, std::uint64_t>> counts_;
};

std::optional<Event> event_of(const ReleaseRun& run, Protects protects) {
  const double client_sensitivity = 2 * run.clip_norm;
  const double sensitivity =
      protects == Protects::client ? client_sensitivity : client_sensitivity / static_cast<double>(run.sample);
  const double noise_multiplier = run.noise_std / sensitivity;
  if (run.mechanism != ReleaseRun::gaussian || run.scheme != mechanisms::WithoutReplacement::name ||
      !(0 < sensitivity && std::isfinite(sensitivity)) || !(0 < noise_multiplier && std::isfinite(noise_multiplier)) ||
      !(1 <= run.sample && run.sample <= run.population))
    return std::nullopt;
  const Event release = Gaussian{noise_multiplier};
  if (protects == Protects::client) return Repeated{run.count, release};
  return Repeated{run.count, Event(SampledWithoutReplacement{Rate(run.sample, run.population), release})};
}

// The fraction of the users that a round drew, taken as everybody where the record makes no sense.
Rate participation_rate(const RoundEntry& round) {
  if (1 <= round.population && round.drawn <= round.population) return {round.drawn, round.population};
  return {1, 1};
}

bool is_of_size(const Ledger& ledger, const Participation& participation, std::uint64_t records) {
  const auto& clients = ledger.header.clients;
  return participation.client < clients.size() && clients[participation.client] == records;
}

}  // namespace

std::optional<Event> event_of(const Participation& participation, Protects protects) {
  std::vector<Event> parts;
  for (const ReleaseRun& run : participation.releases) {
    auto event = event_of(run, protects);
    if (!event) return std::nullopt;
    parts.push_back(*std::move(event));
  }
  return compose(std::move(parts));
}

bool took_part(const Ledger& ledger, std::uint64_t records) {
  return std::ranges::any_of(ledger.participations, [&](const Participation& participation) {
    return is_of_size(ledger, participation, records);
  });
}

std::optional<Plan> executed_plan(const Ledger& ledger, std::uint64_t records, Protects protects) {
  std::map<std::uint64_t, Tally> by_round;
  Tally ever;
  for (const Participation& participation : ledger.participations) {
    if (!is_of_size(ledger, participation, records)) continue;
    const auto event = event_of(participation, protects);
    if (!event) return std::nullopt;
    by_round[participation.round].add(*event);
    ever.add(*event);
  }
  if (ever.empty()) return std::nullopt;
  Tally rounds;
  for (const RoundEntry& round : ledger.rounds) {
    const auto found = by_round.find(round.round);
    const Tally& recipes = found == by_round.end() ? ever : found->second;
    rounds.add(Participates{participation_rate(round), recipes.once_each()});
  }
  if (rounds.empty()) return std::nullopt;
  return Plan{rounds.repeated(), Adjacency::replace_one};
}

std::optional<Plan> realised_plan(const Ledger& ledger, std::uint64_t client) {
  Tally participations;
  for (const Participation& participation : ledger.participations) {
    if (participation.client != client) continue;
    const auto event = event_of(participation, Protects::record);
    if (!event) return std::nullopt;
    participations.add(*event);
  }
  return Plan{participations.empty() ? Event(Composed{}) : participations.repeated(), Adjacency::replace_one};
}

}  // namespace dpbudget::fl
