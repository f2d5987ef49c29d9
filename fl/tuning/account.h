/// @file
/// What choosing values by cross-validation costs, as the composition of all runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What one run released about a client of each kind, as each adversary saw it; nothing without a guarantee.
using Released = std::map<Adversary, std::vector<std::optional<Event>>>;

/// One client of each kind that any run of these settings could tell apart, by number: clients of one kind hold as many
/// records, and have the same noise, budget and weight of their own.
/// @param records  that each client holds before folds are taken away
std::vector<std::uint64_t> one_of_each_kind(const Settings& settings, const std::vector<std::uint64_t>& records);

/// What `run` is planned to release about each of these clients.
/// @param clients  how many records each holds in this run
Released planned_releases(const SettledRun& run, const std::vector<std::uint64_t>& clients, std::uint64_t dimension,
                          std::span<const std::uint64_t> kinds);

/// A run of cross-validation.
struct FoldRun {
  std::uint64_t fold;  ///< held out
  Released released;
};

/// What is counted together.
struct TuningAccount {
  std::span<const FoldRun> runs;
  std::uint64_t folds;                             ///< more than the fold of each run
  std::optional<double> selection = std::nullopt;  ///< epsilon of a private choice, against a record
  std::vector<double> user_selection = {};         ///< the same against a client of each kind
  const Released* last = nullptr;                  ///< the run with the chosen values; null: without

  /// The proven epsilon at price.delta(), for the kind of client and the fold where it is most: a record is trained on
  /// in the runs of all folds but its own, a whole client in all runs. Training of the last run counts, too.
  /// @return nothing where a run has no guarantee against that adversary, or no accountant takes all of them together
  /// @source fl/tuning/proofs.md, 1.1 to 2.2
  std::optional<Bound> spent(Adversary adversary, Pricing& price) const;
};

}  // namespace dpbudget::fl
