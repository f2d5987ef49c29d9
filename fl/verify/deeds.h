/// @file
/// Who did what in a ledger's rounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dpbudget/fl/account/release_event.h"
#include "dpbudget/fl/run/sizes.h"
#include "dpbudget/fl/verify/record.h"

namespace dpbudget::fl {

/// A recorded round: what a release may hide among.
struct RoundView {
  const RoundEntry* entry = nullptr;
  /// That the participants bring to the weighted mean of one release each, where that mean is all that is published;
  /// `own` is unset.
  std::optional<Shares<double>> variances = std::nullopt;
  Shares<std::uint64_t> reports = {0, 0, 0};  ///< of all participants; `own` is unset
};

/// A line of one client, with its round.
struct Deed {
  const RoundView* round;
  std::uint64_t client;
  const Releases* releases;
  double weight;          ///< what the client's update counts in the round; 1 where the round does not name it
  bool took_part = true;  ///< by what is recorded; a line that is planned alone says what it would have released
};

/// A ledger, looked through once, so that a question about a client, or about a kind of clients, costs what they did.
class Deeds {
 public:
  /// @param record  outlives this
  explicit Deeds(const Record& record);
  Deeds(const Deeds&) = delete;
  Deeds& operator=(const Deeds&) = delete;
  ~Deeds() = default;

  /// By their numbers; of several entries with one number the last.
  const std::map<std::uint64_t, RoundView>& rounds() const { return rounds_; }

  /// The lines of a client whose rounds are recorded, round after round.
  std::span<const Deed* const> of_client(std::uint64_t client) const;

  /// The lines of all clients of a kind, as Population has it, round after round.
  std::span<const Deed* const> of_kind(const Sizes& kind) const;

  /// The first client of a kind; nothing where there is none.
  std::optional<std::uint64_t> first_of(const Sizes& kind) const;

  /// Whether no batch of a client overlaps an earlier one of it in the same order: that of the run, or of a round's
  /// pass.
  /// @source fl/account/proofs.md, 3.2 and 11.5
  bool batches_are_disjoint(std::uint64_t client) const;

 private:
  struct OfKind {
    std::uint64_t first;
    std::vector<const Deed*> deeds = {};
  };

  std::map<std::uint64_t, RoundView> rounds_;
  std::vector<Deed> deeds_;  // round after round
  std::vector<const Deed*> by_client_;
  std::map<Population::Kind, OfKind> kinds_;
};

}  // namespace dpbudget::fl
