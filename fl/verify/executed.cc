#include "dpbudget/fl/verify/executed.h"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/filter/filter.h"
#include "dpbudget/fl/round/participants.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

// The probability with which a client of the kind took part in a round, by the round's record; 1 where that makes no
// sense.
// fl/account/proofs.md, 9.3
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

// The event of a planned line; nothing where a batch is used once.
std::optional<Event> planned_event(Folding& fold, const Deed& deed) {
  const auto planned = fold.planned(deed.participation->round, deed.participation->client);
  if (!planned) return std::nullopt;
  const auto parts = fold.parts({deed.round, &*planned, deed.weight, deed.took_part});
  return parts && parts->used_once.empty() ? std::optional(parts->sampled.event()) : std::nullopt;
}

}  // namespace

Execution::Execution(const Ledger& ledger) : ledger_(ledger), deeds_(ledger) {}

Folding& Execution::fold(Adversary adversary) {
  return folds_.try_emplace(adversary, ledger_.header, adversary).first->second;
}

bool Execution::has_disjoint_batches(std::uint64_t client) {
  const auto known = disjoint_.find(client);
  if (known != disjoint_.end()) return known->second;
  return disjoint_.emplace(client, deeds_.batches_are_disjoint(client)).first->second;
}

// What the clients of a kind did, round after round; where none of them was ever drawn, what one of them would have
// done by the header, for that is what the draw was about.
// fl/account/proofs.md, 9.1 and 9.2
class Execution::OfKind {
 public:
  OfKind(Execution& execution, const Sizes& kind, Adversary adversary)
      : execution_(execution), kind_(kind), folding_(execution.fold(adversary)) {}

  std::optional<Plan> plan() {
    const std::span<const Deed> recorded = execution_.deeds_.of_kind(kind_);
    if (!(recorded.empty() ? count_planned() : count(recorded))) return std::nullopt;
    if (ever_.empty() && used_once_.empty()) return std::nullopt;
    EventRuns rounds;
    if (!ever_.empty())
      for (const auto& [number, round] : execution_.deeds_.rounds())
        rounds.add(Participates{rate_in(round), event_of(number, round)});
    if (!used_once_.empty()) {
      auto once = used_once();
      if (!once) return std::nullopt;
      rounds.add(*once);
    }
    return Plan{rounds.event(), Adjacency::replace_one};
  }

 private:
  // Whether all of them have a guarantee.
  bool count(std::span<const Deed> deeds) {
    for (const Deed& deed : deeds) {
      const auto parts = folding_.parts(deed);
      if (!parts) return false;
      const bool needs_disjoint = parts->has_passes || !parts->used_once.empty();
      if (needs_disjoint && !execution_.has_disjoint_batches(deed.participation->client)) return false;
      used_once_.insert(used_once_.end(), parts->used_once.begin(), parts->used_once.end());
      one_of_them_ = deed.participation->client;
      EventRuns& of_round = by_round_[deed.round->entry->round];
      if (parts->sampled.empty()) continue;
      const Event event = parts->sampled.event();
      is_as_planned_ = is_as_planned_ && planned_event(folding_, deed) == event;
      of_round.add(event);
      ever_.add(event);
    }
    return true;
  }

  bool count_planned() {
    const auto client = execution_.deeds_.first_of(kind_);
    for (const auto& [number, round] : execution_.deeds_.rounds()) {
      const auto line = client ? folding_.planned(number, *client) : std::nullopt;
      if (!line || !count(std::array{Deed{&round, &*line, 1, false}})) return false;
    }
    return true;
  }

  Rate rate_in(const RoundView& round) const { return rate_of(execution_.ledger_, *round.entry, kind_); }

  // What one of the kind would have released in a round that drew none of it.
  std::optional<Participation> in_absence(std::uint64_t number) const { return folding_.planned(number, one_of_them_); }

  Event event_of(std::uint64_t number, const RoundView& round) {
    const auto found = by_round_.find(number);
    if (found != by_round_.end() && !found->second.empty()) return found->second.once_each();
    const auto line = is_as_planned_ ? in_absence(number) : std::nullopt;
    const auto event = line ? planned_event(folding_, {&round, &*line, 1, false}) : std::nullopt;
    return event ? *event : ever_.once_each();
  }

  // Which round used a record is not told: the largest rate of all, and the least noise.
  // fl/account/proofs.md, 9.4
  std::optional<Event> used_once() {
    std::optional<Rate> largest;
    for (const auto& [number, round] : execution_.deeds_.rounds()) {
      const Rate rate = rate_in(round);
      if (!largest || largest->value() < rate.value()) largest = rate;
      const auto line = by_round_.contains(number) ? std::nullopt : in_absence(number);
      const auto parts = line ? folding_.parts({&round, &*line, 1, false}) : std::nullopt;
      if (parts) used_once_.insert(used_once_.end(), parts->used_once.begin(), parts->used_once.end());
    }
    auto worst = folding_.once(used_once_);
    return worst ? std::optional<Event>(Participates{largest.value(), *std::move(worst)}) : std::nullopt;
  }

  Execution& execution_;
  const Sizes& kind_;
  Folding& folding_;
  std::map<std::uint64_t, EventRuns> by_round_;  // of those rounds that the kind took part in
  EventRuns ever_;
  std::vector<ReleaseView> used_once_;
  // With a constant schedule the other rounds tell as much.
  bool is_as_planned_ = !execution_.ledger_.header.run.has_constant_noise();
  std::uint64_t one_of_them_ = 0;
};

// Noise that was chosen on the way has no composition: the filter says what all that it let through costs, as long as
// what is recorded adds up to no more than its budget.
// fl/account/proofs.md, 12.4
std::optional<Plan> Execution::let_through(const Sizes& kind, Adversary adversary) {
  const SettledRun& run = ledger_.header.run;
  if (run.filter() == nullptr || !is_covered_by(adversary, run->budget_for)) return std::nullopt;
  const auto executed = OfKind(*this, kind, run->budget_for).plan();
  if (!executed) return std::nullopt;
  filter::Filter filter = *run.filter();
  try {
    if (!filter.spend(executed->event)) return std::nullopt;
  } catch (const Unsupported&) {
    return std::nullopt;
  }
  return Plan{filter.equivalent(), Adjacency::replace_one};
}

std::optional<Plan> Execution::plan(const Sizes& kind, Adversary adversary) {
  return ledger_.header.run.validation() ? let_through(kind, adversary) : OfKind(*this, kind, adversary).plan();
}

std::optional<Plan> Execution::realised(std::uint64_t client) {
  // No filter was asked about the rounds that the draw gave to this client.
  if (ledger_.header.run.validation()) return std::nullopt;
  Folding& folding = fold(Adversary::server);
  EventRuns participations;
  std::vector<ReleaseView> used_once;
  for (const Deed& deed : deeds_.of_client(client)) {
    const auto parts = folding.parts(deed);
    if (!parts) return std::nullopt;
    if ((parts->has_passes || !parts->used_once.empty()) && !has_disjoint_batches(client)) return std::nullopt;
    used_once.insert(used_once.end(), parts->used_once.begin(), parts->used_once.end());
    if (!parts->sampled.empty()) participations.add(parts->sampled.event());
  }
  if (!used_once.empty()) {
    const auto worst = folding.once(used_once);
    if (!worst) return std::nullopt;
    participations.add(*worst);
  }
  return Plan{participations.empty() ? Event(Composed{}) : participations.event(), Adjacency::replace_one};
}

}  // namespace dpbudget::fl
