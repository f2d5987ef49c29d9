#include "dpbudget/fl/verify/executed.h"

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
Rate rate_of(const SettledRun& run, const RoundEntry& round, const Sizes& sizes) {
  const Participants& drawn = round.participants;
  if (drawn.scheme == mechanisms::Poisson::name && 0 < drawn.rate && drawn.rate <= 1) return {drawn.rate};
  if (drawn.population == 0 || drawn.drawn > drawn.population) return {1, 1};
  if (drawn.scheme == mechanisms::WithoutReplacement::name) return {drawn.drawn, drawn.population};
  if (run->client_sampling == ClientSampling::md && drawn.scheme == scheme_of(run))
    return participation_rate(run, sizes);
  return {1, 1};
}

// The event of a planned line; nothing where a batch is used once.
std::optional<Event> planned_event(Folding& fold, const Deed& deed) {
  const auto planned = fold.planned(deed.round->entry->round, deed.client);
  if (!planned) return std::nullopt;
  const auto parts = fold.parts({deed.round, deed.client, &*planned, deed.weight, deed.took_part});
  return parts && parts->used_once.empty() ? std::optional(parts->sampled.event()) : std::nullopt;
}

}  // namespace

Execution::Execution(Record record)
    : record_(std::move(record)), population_(record_.header().run, record_.header().clients), deeds_(record_) {}

Folding& Execution::fold(Adversary adversary) {
  return folds_.try_emplace(adversary, record_.header(), adversary).first->second;
}

// Where the noise does not change, no round differs from another but in what its releases hide among.
std::optional<Parts> Execution::parts(Adversary adversary, const Deed& deed) {
  const LedgerHeader& header = record_.header();
  if (!header.run.has_constant_noise() || deed.client >= header.clients.size()) return fold(adversary).parts(deed);
  const auto shares = [](const auto& of) { return std::pair{of.all, of.largest}; };
  const std::uint64_t round = deed.round->entry->round;
  const Alike key{adversary,
                  1 <= round && round <= header.run.released_rounds(),
                  deed.releases,
                  deed.weight,
                  population_.kind_of(deed.client),
                  shares(deed.round->reports),
                  deed.round->variances ? std::optional(shares(*deed.round->variances)) : std::nullopt};
  const auto known = known_parts_.find(key);
  if (known != known_parts_.end()) return known->second;
  return known_parts_.emplace(key, fold(adversary).parts(deed)).first->second;
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
      : execution_(execution), kind_(kind), adversary_(adversary), folding_(execution.fold(adversary)) {}

  std::optional<Plan> plan() {
    const std::span<const Deed* const> recorded = execution_.deeds_.of_kind(kind_);
    if (!(recorded.empty() ? count_planned() : count_recorded(recorded))) return std::nullopt;
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
  // Whether all of them have a guarantee. Of a round's deeds that are the same one is counted.
  bool count_recorded(std::span<const Deed* const> deeds) {
    const RoundView* round = nullptr;
    std::map<std::pair<const Releases*, double>, bool>
        seen;  // in the round, and whether their batches must be disjoint
    for (const Deed* deed : deeds) {
      if (deed->round != round) seen.clear();
      round = deed->round;
      const auto [same, is_new] = seen.try_emplace({deed->releases, deed->weight}, false);
      if (is_new) {
        const auto parts = execution_.parts(adversary_, *deed);
        if (!parts) return false;
        same->second = parts->has_passes || !parts->used_once.empty();
        count(*deed, *parts);
      }
      if (same->second && !execution_.has_disjoint_batches(deed->client)) return false;
    }
    return true;
  }

  bool count_planned() {
    const auto client = execution_.deeds_.first_of(kind_);
    for (const auto& [number, round] : execution_.deeds_.rounds()) {
      const auto line = client ? folding_.planned(number, *client) : std::nullopt;
      if (!line) return false;
      const Deed deed{&round, *client, &*line, 1, false};
      const auto parts = folding_.parts(deed);
      if (!parts) return false;
      if ((parts->has_passes || !parts->used_once.empty()) && !execution_.has_disjoint_batches(*client)) return false;
      count(deed, *parts);
    }
    return true;
  }

  void count(const Deed& deed, const Parts& parts) {
    used_once_.insert(used_once_.end(), parts.used_once.begin(), parts.used_once.end());
    one_of_them_ = deed.client;
    EventRuns& of_round = by_round_[deed.round->entry->round];
    if (parts.sampled.empty()) return;
    const Event event = parts.sampled.event();
    is_as_planned_ = is_as_planned_ && planned_event(folding_, deed) == event;
    of_round.add(event);
    ever_.add(event);
  }

  Rate rate_in(const RoundView& round) const { return rate_of(execution_.record_.header().run, *round.entry, kind_); }

  // What one of the kind would have released in a round that drew none of it.
  std::optional<Releases> in_absence(std::uint64_t number) const { return folding_.planned(number, one_of_them_); }

  Event event_of(std::uint64_t number, const RoundView& round) {
    const auto found = by_round_.find(number);
    if (found != by_round_.end() && !found->second.empty()) return found->second.once_each();
    const auto line = is_as_planned_ ? in_absence(number) : std::nullopt;
    const auto event = line ? planned_event(folding_, {&round, one_of_them_, &*line, 1, false}) : std::nullopt;
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
      const auto parts = line ? folding_.parts({&round, one_of_them_, &*line, 1, false}) : std::nullopt;
      if (parts) used_once_.insert(used_once_.end(), parts->used_once.begin(), parts->used_once.end());
    }
    auto worst = folding_.once(used_once_);
    return worst ? std::optional<Event>(Participates{largest.value(), *std::move(worst)}) : std::nullopt;
  }

  Execution& execution_;
  const Sizes& kind_;
  Adversary adversary_;
  Folding& folding_;
  std::map<std::uint64_t, EventRuns> by_round_;  // of those rounds that the kind took part in
  EventRuns ever_;
  std::vector<ReleaseView> used_once_;
  // With a constant schedule the other rounds tell as much.
  bool is_as_planned_ = !execution_.record_.header().run.has_constant_noise();
  std::uint64_t one_of_them_ = 0;
};

// Noise that was chosen on the way has no composition: the filter says what all that it let through costs, as long as
// what is recorded adds up to no more than its budget.
// fl/account/proofs.md, 12.4
std::optional<Plan> Execution::let_through(const Sizes& kind, Adversary adversary) {
  const SettledRun& run = record_.header().run;
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
  return record_.header().run.validation() ? let_through(kind, adversary) : OfKind(*this, kind, adversary).plan();
}

std::optional<Plan> Execution::realised(std::uint64_t client) {
  // No filter was asked about the rounds that the draw gave to this client.
  if (record_.header().run.validation()) return std::nullopt;
  EventRuns participations;
  std::vector<ReleaseView> used_once;
  for (const Deed* deed : deeds_.of_client(client)) {
    const auto parts = this->parts(Adversary::server, *deed);
    if (!parts) return std::nullopt;
    if ((parts->has_passes || !parts->used_once.empty()) && !has_disjoint_batches(client)) return std::nullopt;
    used_once.insert(used_once.end(), parts->used_once.begin(), parts->used_once.end());
    if (!parts->sampled.empty()) participations.add(parts->sampled.event());
  }
  if (!used_once.empty()) {
    const auto worst = fold(Adversary::server).once(used_once);
    if (!worst) return std::nullopt;
    participations.add(*worst);
  }
  return Plan{participations.empty() ? Event(Composed{}) : participations.event(), Adjacency::replace_one};
}

}  // namespace dpbudget::fl
