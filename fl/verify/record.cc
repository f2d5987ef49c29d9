#include "dpbudget/fl/verify/record.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>

namespace dpbudget::fl {
namespace {

bool is_alike(const ReleaseRun& a, const ReleaseRun& b) {
  return a.count == b.count && a.mechanism == b.mechanism && a.noise_std == b.noise_std && a.clip_norm == b.clip_norm &&
         a.sample == b.sample && a.population == b.population && a.scheme == b.scheme && a.first == b.first &&
         a.pass == b.pass && a.count_noise == b.count_noise && a.encoder == b.encoder && a.coordinates == b.coordinates;
}

ReleaseRun without_findings(ReleaseRun run) {
  run.largest_norm = 0;
  run.largest_released = 0;
  run.count_below = 0;
  run.count_noise_sum_of_squares = 0;
  run.noise_sum_of_squares = 0;
  return run;
}

}  // namespace

std::size_t DistinctReleases::Hash::operator()(std::span<const ReleaseRun> releases) const {
  std::size_t hash = releases.size();
  for (const ReleaseRun& run : releases) {
    boost::hash_combine(hash, run.count);
    boost::hash_combine(hash, run.noise_std);
    boost::hash_combine(hash, run.clip_norm);
    boost::hash_combine(hash, run.sample);
    boost::hash_combine(hash, run.population);
    boost::hash_combine(hash, run.first.value_or(0));
    boost::hash_combine(hash, run.pass.value_or(0));
  }
  return hash;
}

bool DistinctReleases::Alike::operator()(std::span<const ReleaseRun> a, std::span<const ReleaseRun> b) const {
  return std::ranges::equal(a, b, is_alike);
}

const Releases& DistinctReleases::of(std::span<const ReleaseRun> releases) {
  const auto known = known_.find(releases);
  if (known != known_.end()) return *known;
  Releases kept;
  kept.reserve(releases.size());
  std::ranges::transform(releases, std::back_inserter(kept), without_findings);
  return *known_.insert(std::move(kept)).first;
}

Record::Record(const Ledger& ledger) : header_(&ledger.header), rounds_(ledger.rounds), end_(ledger.end) {
  lines_.reserve(ledger.participations.size());
  for (const Participation& participation : ledger.participations) add(participation);
}

bool Record::is_cut_off() const {
  if (end_ || rounds_.empty()) return false;
  const RoundEntry& last = rounds_.back();
  const auto lines = std::ranges::count(lines_, last.round, &DeedLine::round);
  return static_cast<std::size_t>(lines) < last.participants.clients.size();
}

Record Record::without_last_round() const {
  Record shorter = *this;
  std::erase_if(shorter.lines_, [&](const DeedLine& line) { return line.round == rounds_.back().round; });
  shorter.rounds_.pop_back();
  return shorter;
}

}  // namespace dpbudget::fl
