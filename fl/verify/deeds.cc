#include "dpbudget/fl/verify/deeds.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dpbudget/fl/run/traits.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

using Lines = std::span<const DeedLine>;

// The variances that the participants bring to the weighted mean of one release each; nothing where more is published.
// Among different clients the factor would depend on who was drawn, which the sampling of users mixes over.
// fl/account/proofs.md, 9.5
std::optional<Shares<double>> variances_in(const SettledRun& run, bool are_alike, const RoundEntry& entry,
                                           Lines lines) {
  const Participants& drawn = entry.participants;
  if (!run.algorithm().released_mean || !are_alike || drawn.scheme != mechanisms::WithoutReplacement::name ||
      drawn.weights.size() != lines.size())
    return std::nullopt;
  Shares<double> variances{0, 0, 0};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& releases = *lines[i].releases;
    if (releases.size() != 1 || releases.front().count != 1) return std::nullopt;
    const double part = std::pow(drawn.weights[i] * releases.front().noise_std, 2);
    variances.all += part;
    variances.largest = std::max(variances.largest, part);
  }
  return variances;
}

Shares<std::uint64_t> reports_in(Lines lines) {
  Shares<std::uint64_t> reports{0, 0, 0};
  for (const DeedLine& line : lines)
    for (const ReleaseRun& run : *line.releases) {
      reports.all += run.sample;
      reports.largest = std::max(reports.largest, run.sample);
    }
  return reports;
}

// What each client that the entry names counts in it.
std::unordered_map<std::uint64_t, double> weights_in(const Participants& drawn) {
  std::unordered_map<std::uint64_t, double> weights(drawn.clients.size());
  for (std::size_t i = 0; i < drawn.clients.size(); ++i)
    weights.try_emplace(drawn.clients[i], i < drawn.weights.size() ? drawn.weights[i] : 1);
  return weights;
}

}  // namespace

Deeds::Deeds(const Record& record) {
  const LedgerHeader& header = record.header();
  const Population population(header.run, header.clients);
  for (std::uint64_t client = 0; client < header.clients.size(); ++client)
    kinds_.try_emplace(population.kind_of(client), client);
  for (const RoundEntry& entry : record.rounds()) rounds_[entry.round] = {&entry};

  // Most ledgers have their lines in order.
  std::vector<DeedLine> sorted;
  if (!std::ranges::is_sorted(record.lines(), {}, &DeedLine::round)) {
    sorted = record.lines();
    std::ranges::stable_sort(sorted, {}, &DeedLine::round);
  }
  const Lines lines = sorted.empty() ? Lines(record.lines()) : Lines(sorted);
  deeds_.reserve(lines.size());  // none of which moves
  const bool are_alike = !header.clients.empty() && population[0].all_alike();
  for (auto& [number, round] : rounds_) {
    const auto found = std::ranges::equal_range(lines, number, {}, &DeedLine::round);
    const Lines own(found.begin(), found.end());
    round.variances = variances_in(header.run, are_alike, *round.entry, own);
    round.reports = reports_in(own);
    const auto weights = weights_in(round.entry->participants);
    for (const DeedLine& line : own) {
      const auto weight = weights.find(line.client);
      deeds_.push_back({&round, line.client, line.releases, weight == weights.end() ? 1 : weight->second});
      if (line.client < header.clients.size())
        kinds_.at(population.kind_of(line.client)).deeds.push_back(&deeds_.back());
    }
  }
  by_client_.reserve(deeds_.size());
  for (const Deed& deed : deeds_) by_client_.push_back(&deed);
  std::ranges::stable_sort(by_client_, {}, &Deed::client);
}

std::span<const Deed* const> Deeds::of_client(std::uint64_t client) const {
  const auto found = std::ranges::equal_range(by_client_, client, {}, &Deed::client);
  return {found.begin(), found.end()};
}

std::span<const Deed* const> Deeds::of_kind(const Sizes& kind) const {
  const auto found = kinds_.find({kind.records, kind.noise_multiplier, kind.weight});
  return found == kinds_.end() ? std::span<const Deed* const>() : found->second.deeds;
}

std::optional<std::uint64_t> Deeds::first_of(const Sizes& kind) const {
  const auto found = kinds_.find({kind.records, kind.noise_multiplier, kind.weight});
  return found == kinds_.end() ? std::nullopt : std::optional(found->second.first);
}

bool Deeds::batches_are_disjoint(std::uint64_t client) const {
  struct Range {
    std::uint64_t round;  // 0, as is the pass, in the order of the run
    std::uint64_t pass;
    std::uint64_t first;
    std::uint64_t end;
    auto operator<=>(const Range&) const = default;
  };
  std::vector<Range> ranges;
  for (const Deed* deed : of_client(client))
    for (const ReleaseRun& run : *deed->releases)
      if (run.first)
        ranges.push_back({run.pass ? deed->round->entry->round : 0, run.pass.value_or(0), *run.first, run.end()});
  std::ranges::sort(ranges);
  const auto overlap = [](const Range& a, const Range& b) {
    return a.round == b.round && a.pass == b.pass && b.first < a.end;
  };
  return std::ranges::adjacent_find(ranges, overlap) == ranges.end();
}

}  // namespace dpbudget::fl
