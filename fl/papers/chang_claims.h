/// @file
/// What Chang, Seif and Tandon 2022 claim of a run of DP-SCAFFOLD whose noise decays.
#pragma once

#include <optional>

#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The claim against the server: every release of the run, a step being taken as sampled with probability l s by
/// itself. Its Lipschitz constant is read as the clipping norm, without which the sensitivity has no bound, and its
/// noise over 2 C / batch, without which a condition on the noise means nothing: `dpbudget schedule` reads both so too.
/// @param run  with noise
/// @return nothing but for scheme 1 or 2 against the server, with users drawn uniformly; nor where the cap on the order
///         leaves none
/// @source Chang, Seif, Tandon 2022, Theorems 1 and 2
std::optional<AdversaryPlan> chang_claim(const SettledRun& run, const Sizes& sizes, Adversary adversary);

/// epsilon of that claim as the paper obtains it.
std::optional<double> chang_claimed_epsilon(const SettledRun& run, const Sizes& sizes, Adversary adversary,
                                            double delta);

}  // namespace dpbudget::fl
