/// @file
/// What shuffling needs to know of a plan's local randomiser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
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

/// Whether the reports of `event` are known to be epsilon-DP, for some epsilon. Of others nothing is known to be
/// hidden: from above they cost what one of them does (`reports_theorem`; accounting/shuffle/proofs.md, 2c).
bool has_pure_reports(const Shuffled& event);

/// Whether reports that are epsilon-DP are shuffled anywhere in `event`.
bool has_pure_shuffle(const Event& event);

/// The statement that the cost of reports which are not epsilon-DP rests on, from above.
inline constexpr const char* reports_theorem =
    "shuffled reports cost no more than one of them does: accounting/shuffle/proofs.md, 2c.1";

/// The clone pair that dominates the reports of `event`: stronger clones for randomised response and frequency oracles,
/// those of silos, and clones of any epsilon-DP randomiser otherwise.
/// @throws InvalidArgument unless randomizer_epsilon of the local randomiser is in (0, 650]
ClonePair clone_pair(const Shuffled& event);

/// The statement that `clone_pair` rests on, or the local guarantee where it hides nothing.
std::string clone_theorem(const Shuffled& event);

/// Whether `event` shuffles binary randomised response, for which more is known than clones; or discrete Laplace noise,
/// which is that of epsilon 1/scale and something that does not depend on the record
/// (accounting/shuffle/proofs.md, 7.5).
bool is_binary_response(const Shuffled& event);

/// The randomised response that the local randomiser of `event` is, with an epsilon that is rounded up; nothing for
/// silos, for other mechanisms, and where reports hide nothing.
std::optional<RandomizedResponse> response_of(const Shuffled& event);

/// k-ary randomised response of k >= 3, or a frequency oracle, with its privacy blanket, which then hides more than
/// clones do; binary responses have none but their clones, and silos none at all. Nothing either for local epsilons
/// outside [1e-6, 20], and where less than one report is expected from the blanket, which then hides nothing and takes
/// long.
std::optional<Randomizer> blanket_of(const Shuffled& event);

/// Laplace noise as blankets see it, its local epsilon rounded to a side: up for upper ends, and down for lower ones.
/// Less noise shows no less, for more noise is the same with more added (accounting/shuffle/proofs.md, 7.5). Nothing
/// for silos, for other mechanisms and for local epsilons outside [1e-6, 20].
std::optional<Randomizer> laplace_blanket_of(const Shuffled& event, Rounding rounding);

/// The statements that the tightest of clones, blanket and worst data sets rests on.
std::vector<std::string> dominating_theorems(const Shuffled& event);

/// The randomised responses whose neighbours the local randomiser of `event` certainly has: itself; those that the
/// guarantee it stands for allows, of two values and of three; for Laplace noise, whether a report is above the
/// middle (accounting/shuffle/proofs.md, 7.5); and for frequency oracles, a guess of which of two values was held
/// (7.6). Epsilons are rounded down. Nothing for silos and for other mechanisms.
std::vector<RandomizedResponse> attained_responses(const Shuffled& event);

/// Shuffled k-ary randomised response where all other users hold a third value: neighbours that differ from each other
/// in a pair of reports hidden among those of others (accounting/shuffle/proofs.md, 4.2).
/// @param local_epsilon  in (0, 650]
/// @param categories     in [3, 2^53]
/// @param reports        an integer in [1, 2^53]
HiddenPair third_value_pair(double local_epsilon, std::uint64_t categories, double reports);

/// Neighbours that the shuffled reports of `event` certainly have, and whose others hold a third value: of the attained
/// responses of three values or more, and of frequency oracles (accounting/shuffle/proofs.md, 7.6), rounded so that
/// they show less.
std::optional<HiddenPair> attained_third_value_pair(const Shuffled& event);

/// Whether `event` shuffles the reports of a frequency oracle, whose blanket (`blanket_of`) has a witness.
bool is_oracle(const Shuffled& event);

}  // namespace dpbudget::shuffle
