/// @file
/// What a run cost in privacy, from its ledger alone, and whether it did what it was planned to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/account/silo_budgets.h"
#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/ledger/reader.h"
#include "dpbudget/fl/ranks/ranks.h"

namespace dpbudget::fl {

/// One thing that the ledger was held against.
struct Check {
  static constexpr const char* budget = "budget";  ///< of the run's own; the other names are only shown

  std::string name;
  bool passed;
  std::string reason;  ///< one line: what was found, and where the first failure is
};

/// One adversary's view, for the kind of client where it is worst.
struct View {
  Adversary adversary;
  std::optional<Bound> published;  ///< what the algorithm's paper claims for the planned run
  std::optional<Priced> planned;   ///< what the header's run is proven to cost
  std::optional<Priced> executed;  ///< the same from what was recorded, over the sampling of users; nothing without a
                                   ///< guarantee, or before the first round
};

/// What records pay whose clients took part alike.
struct Paid {
  std::optional<Plan> plan;  ///< nothing when one of the releases has no guarantee
  Bound epsilon;             ///< upper is infinite without a plan
};

/// What one client's records really paid: the rounds it took part in, and no other (the instance-wise view). Valid
/// against the server, and so against a third party, for whoever knows when the client took part.
struct ClientSpend {
  std::uint64_t client;
  std::uint64_t records;
  std::uint64_t participations;
  std::shared_ptr<const Paid> paid;  ///< never null; one for all that took part alike, of millions a few
};

/// What a run was to spend at most, and did.
struct BudgetSpend {
  Adversary adversary;
  double epsilon;
  double delta;
  std::optional<double> spent;  ///< proven, of what was recorded but for a round that was cut off; nothing without a
                                ///< guarantee, and 0 before the first round

  bool is_kept() const { return spent && *spent <= epsilon; }
};

/// What a ledger shows.
struct Report {
  std::string algorithm;
  double delta;
  bool is_private;  ///< the algorithm adds noise and clips privately; otherwise no number below claims anything
  bool is_filtered = false;  ///< its noise follows errors: what is proven is what a filter may let through
  bool is_finished;
  std::uint64_t rounds_planned;
  std::uint64_t rounds_executed;
  std::vector<Check> checks;
  bool passed;                                ///< every check
  std::vector<View> views;                    ///< one per adversary; none for a run without noise
  std::vector<ClientSpend> clients;           ///< all, in order
  std::vector<SiloSpend> silos;               ///< all, in order, where they have budgets of their own
  std::optional<BudgetSpend> budget;          ///< the run's own, where it has one
  std::optional<std::uint64_t> worst_client;  ///< who paid most; nothing when nobody took part, or noise follows errors
  std::vector<std::string> notes;
};

/// @param delta  in (0, 1)
/// @throws InvalidArgument naming delta, or the header's value that check(run, sizes) refuses
Report verify(const Ledger& ledger, double delta);

/// Whether several processes can share the verification of what `reader` reads.
bool is_divided(const LedgerReader& reader);

/// The same of what `reader` has still to read, of which no more is held than what it cost can be told from.
/// @param ranks  the processes that share it where it is_divided, of which this is the first, while the others
///               check_for_first; null where there is one alone
/// @throws InvalidArgument besides as read_ledger and read_and_check
Report verify(LedgerReader& reader, double delta, Ranks* ranks = nullptr);
/// The same of a file.
Report verify(const std::filesystem::path& file, double delta);

}  // namespace dpbudget::fl
