/// @file
/// What the best of a random number of runs costs, each with values that it draws for itself.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/trials.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/tuning/account.h"

namespace dpbudget::fl {

/// An event that tells at least as much as either: plans that are alike but for the noise of Gaussians and for how
/// often something is repeated, with the least noise and the most repetitions of the two.
/// @return nothing where they differ in anything else
/// @source fl/tuning/proofs.md, 3.2
std::optional<Event> covering(const Event& a, const Event& b);

/// What whoever is handed the best run alone learns, of a record or of a whole client.
struct TrialsCost {
  Plan plan;       ///< select(trials, one run) under replace_one
  Bound one;       ///< epsilon of one run, without a choice
  Bound best;      ///< of the plan
  Bound composed;  ///< of as many runs as there are on average, rounded up, all of them released
};

/// For the kind of client that pays most, at price.delta(). The adversary is third_party, or user_level for whole
/// clients: who is handed the best run alone sees no more of it than the server does.
/// @param trials    of a positive mean
/// @param released  what a run with each combination of values is planned to release; of one at least
/// @return nothing where a run has no guarantee against that adversary, or no accountant takes its selection
/// @throws InvalidArgument naming --grid where no plan is known that covers those of all combinations
/// @source fl/tuning/proofs.md, 3.1 to 3.4
std::optional<TrialsCost> trials_cost(const Trials& trials, std::span<const Released> released, Adversary adversary,
                                      Pricing& price);

}  // namespace dpbudget::fl
