/// @file
/// Recorded lines as events, for one adversary.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dpbudget/accounting/plan/runs.h"
#include "dpbudget/fl/account/release_event.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/fl/verify/deeds.h"

namespace dpbudget::fl {

/// The releases of one participation; disjoint batches apart: of those a record is in one only, whichever it is.
struct Parts {
  EventRuns sampled;                   ///< and passes
  std::vector<ReleaseView> used_once;  ///< disjoint
  bool has_passes = false;             ///< so that `sampled` presumes that no batch of a pass overlaps another
};

/// Reads what a ledger records, and prices it as an account does.
class Folding {
 public:
  /// @param header  outlives this
  Folding(const LedgerHeader& header, Adversary adversary);

  /// Nothing where one of the releases has no guarantee, or makes no sense as a mechanism.
  std::optional<Parts> parts(const Deed& deed);

  /// The one release that a record is in, whichever of `views` that is, as ReleaseAccount::once.
  std::optional<Event> once(const std::vector<ReleaseView>& views) { return account_.once(views); }

  /// What a client would release in a round by the header's run, as its line would say; nothing where it has no noise,
  /// or clips to a norm that the line itself would tell.
  std::optional<Releases> planned(std::uint64_t round, std::uint64_t client) const;

 private:
  std::optional<ReleaseView> view(const Deed& deed, const ReleaseRun& run, std::uint64_t first);
  void hide_among_fewest(const Deed& deed, Shares<std::uint64_t>& recorded) const;
  double multiplier(const Deed& deed, const ReleaseRun& run, Mechanism mechanism, std::uint64_t first);

  const LedgerHeader& header_;
  Adversary adversary_;
  Population population_;
  ReleaseAccount account_;
  GaussianStds planned_stds_;
};

}  // namespace dpbudget::fl
