/// @file
/// Budgets of the silos' own, and the noise that keeps to them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// `run` with the noise of each silo, where silo_epsilon asks for it: the smallest multiplier whose proven plan over
/// all rounds, for the silo's own size against run.budget_for, costs at most its epsilon at its delta. Found to a
/// relative 1e-12 of what the best accountant proves (which jumps by up to its tolerance), and certified at the value
/// itself. A run that has silo_noise already keeps it, when it meets the budgets; without silo_epsilon nothing changes.
///
/// Each silo is accounted for itself: no noise but its own hides it.
/// @param clients  how many records each holds
/// @throws InvalidArgument naming silo_epsilon and the silo whose budget no noise meets; silo_delta that needs no
/// noise;
///         silo_noise that exceeds a budget; or as `check(run, sizes)`
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), Definition H.1: (epsilon_i, delta_i) for every silo i
SettledRun calibrated(const SettledRun& run, const std::vector<std::uint64_t>& clients);

/// What a silo may spend and does.
struct SiloSpend {
  std::uint64_t client;
  Sizes sizes;  ///< with its own noise
  SiloBudget budget;
  std::optional<double> published_noise;  ///< what the algorithm's paper prescribes for this budget: an estimate
  Bound planned;                          ///< epsilon at budget.delta of the whole planned run, proven
  std::optional<Bound> executed;          ///< of what was recorded, over the sampling of users; nothing without a
                                          ///< guarantee, and 0 before the first round
};

}  // namespace dpbudget::fl
