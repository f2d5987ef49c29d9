/// @file
/// How far a run may go whose noise follows the errors of released models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// Asks the filter of a run about its rounds. Where a run stops and whether a ledger stopped there are both this.
/// @source fl/account/proofs.md, 12.1 and 12.2
class RunFilter {
 public:
  /// @param run        with a filter
  /// @param everybody  the kinds of its clients
  RunFilter(const SettledRun& run, std::vector<Sizes> everybody);

  /// The share of the budget that the first released rounds take, of the kind of client that takes most.
  /// @param run     that of the constructor, following errors
  /// @param rounds  in [0, 2^53]
  /// @return infinity where the filter cannot say
  double share(const SettledRun& run, std::uint64_t rounds);

  /// Whether so many rounds are let through. A little of the budget is kept back, so that what a ledger records adds up
  /// to no more than all of it, however it is rounded.
  bool admits(const SettledRun& run, std::uint64_t rounds);

 private:
  double one_round(const SettledRun& run, std::size_t kind, std::size_t stretch, std::uint64_t number);

  std::vector<Sizes> everybody_;
  std::map<std::pair<std::size_t, std::size_t>, double> known_;  // by kind and stretch of equal noise
};

/// What the bound of a run's plan says of the run. The plan of one with a filter is of all that this may let through,
/// which nobody needs to have released: there is no lower end.
/// @source fl/account/proofs.md, 12.2
Bound of_run(const SettledRun& run, Bound of_plan);

/// `run` with what its filter adds up, where that is to be chosen: what lets most rounds through at the noise of the
/// first. It is chosen by public numbers alone, before anything is released. Other runs are left as they are.
/// @param everybody  the kinds of clients
/// @throws InvalidArgument naming epsilon when nothing lets one round through; schedule when its filter cannot be used
SettledRun with_chosen_filter(const SettledRun& run, const std::vector<Sizes>& everybody);

}  // namespace dpbudget::fl
