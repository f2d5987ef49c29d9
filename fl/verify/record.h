/// @file
/// What verification keeps of a ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dpbudget/fl/ledger/ledger.h"

namespace dpbudget::fl {

/// What a participation did, whatever was found in it: the numbers that differ from one to the next are left out.
using Releases = std::vector<ReleaseRun>;

/// Equal releases, each kept once.
class DistinctReleases {
 public:
  /// The ones that are like these, but for the norms and the noise found in them; stays where it is.
  const Releases& of(std::span<const ReleaseRun> releases);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::span<const ReleaseRun> releases) const;
  };
  struct Alike {
    using is_transparent = void;
    bool operator()(std::span<const ReleaseRun> a, std::span<const ReleaseRun> b) const;
  };
  std::unordered_set<Releases, Hash, Alike> known_;  // whose elements do not move
};

/// Who did what, by one line of a ledger.
struct DeedLine {
  std::uint64_t round;
  std::uint64_t client;
  const Releases* releases;
};

/// A ledger, its participations as short as what they cost can be told from: a million of them are a hundred
/// megabytes.
class Record {
 public:
  /// Of a ledger of which nothing but the header has been read.
  /// @param header  outlives this
  explicit Record(const LedgerHeader& header) : header_(&header) {}

  /// @param ledger  whose header outlives this
  explicit Record(const Ledger& ledger);

  void add(RoundEntry round) { rounds_.push_back(std::move(round)); }
  void add(const Participation& participation) {
    lines_.push_back({participation.round, participation.client, &releases_->of(participation.releases)});
  }
  void add(const LedgerEnd& end) { end_ = end; }

  const LedgerHeader& header() const { return *header_; }
  const std::vector<RoundEntry>& rounds() const { return rounds_; }
  const std::vector<DeedLine>& lines() const { return lines_; }
  const std::optional<LedgerEnd>& end() const { return end_; }

  /// Whether the last round of an unfinished ledger was cut off between its lines: what is there of it counts, what
  /// lacks is no failure.
  bool is_cut_off() const;

  /// The same without the last round.
  /// @pre there is one
  Record without_last_round() const;

 private:
  const LedgerHeader* header_;
  std::vector<RoundEntry> rounds_;
  std::shared_ptr<DistinctReleases> releases_ = std::make_shared<DistinctReleases>();
  std::vector<DeedLine> lines_;
  std::optional<LedgerEnd> end_;
};

}  // namespace dpbudget::fl
