/// @file
/// What shuffling needs to know of a plan's local randomiser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/shuffle/blanket/randomizer.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"
#include "dpbudget/accounting/shuffle/clones/hidden_pair.h"

namespace dpbudget::shuffle {

/// The pure guarantee of a local randomiser, whose one record is replaced (plan/pure.h).
inline double randomizer_epsilon(const Event& local) { return pure_epsilon(local, Adjacency::replace_one); }

/// Whether clones are too rare to hide anything of reports that are local_epsilon-DP: beyond the 650 of ranges.h, where
/// what is left is the local guarantee, which shuffling preserves.
bool hides_nothing(double local_epsilon);

/// The clone pair that dominates the reports of `event`: stronger clones for randomised response, those of silos, and
/// clones of any epsilon-DP randomiser otherwise.
/// @throws InvalidArgument unless randomizer_epsilon of the local randomiser is in (0, 650]
ClonePair clone_pair(const Shuffled& event);

/// The statement that `clone_pair` rests on, or the local guarantee where it hides nothing.
std::string clone_theorem(const Shuffled& event);

/// Whether `event` shuffles binary randomised response, for which more is known than clones.
bool is_binary_response(const Shuffled& event);

/// k-ary randomised response of k >= 3 with its privacy blanket, which then hides more than clones do; binary responses
/// have none but their clones, and silos none at all. Nothing either for local epsilons outside [1e-6, 20], and where
/// less than one report is expected from the blanket, which then hides nothing and takes long.
std::optional<Randomizer> blanket_of(const Shuffled& event);

/// The statements that the tightest of clones, blanket and worst data sets rests on.
std::vector<std::string> dominating_theorems(const Shuffled& event);

/// The randomised response whose neighbours the local randomiser of `event` certainly has: itself, or one that the
/// guarantee it stands for allows. Nothing for silos and for other mechanisms.
/// @param among_equals  whether all other users hold what the changed one does in the second data set. Where they do
///                      not have to, a guarantee allows three values, of which the others hold the third; else two.
std::optional<RandomizedResponse> attained_response(const Shuffled& event, bool among_equals);

/// Shuffled k-ary randomised response where all other users hold a third value: neighbours that differ from each other
/// in a pair of reports hidden among those of others (proofs.md, section 4).
/// @param local_epsilon  in (0, 650]
/// @param categories     in [3, 2^53]
/// @param reports        an integer in [1, 2^53]
HiddenPair third_value_pair(double local_epsilon, std::uint64_t categories, double reports);

}  // namespace dpbudget::shuffle
