/// @file
/// What shuffling needs to know of a plan's local randomiser.
#pragma once

#include <cstdint>
#include <string>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/shuffle/clones.h"
#include "dpbudget/accounting/shuffle/hidden_pair.h"

namespace dpbudget::shuffle {

/// The smallest epsilon for which `local` is known to be epsilon-DP under replace_one, rounded up; infinity when it is
/// not known to be pure DP, as for Gaussians.
double pure_epsilon(const Event& local);

/// The clone pair that dominates the reports of `event`: stronger clones for randomised response, those of silos, and
/// clones of any epsilon-DP randomiser otherwise.
/// @throws InvalidArgument unless pure_epsilon of the local randomiser is positive and finite
ClonePair clone_pair(const Shuffled& event);

/// The statement that `clone_pair` rests on.
std::string clone_theorem(const Shuffled& event);

/// Whether `event` shuffles binary randomised response, for which more is known than clones.
bool is_binary_response(const Shuffled& event);

/// The statement that bounds on its worst data sets rest on.
std::string worst_responses_theorem();

/// Shuffled k-ary randomised response where all other users hold a third value: neighbours that differ from each other
/// in a pair of reports hidden among those of others (proofs.md, section 4).
/// @param local_epsilon  in (0, 650]
/// @param categories     in [3, 2^53]
/// @param reports        an integer in [1, 2^53]
HiddenPair third_value_pair(double local_epsilon, std::uint64_t categories, double reports);

}  // namespace dpbudget::shuffle
