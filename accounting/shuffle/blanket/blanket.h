/// @file
/// The privacy blanket bound for shuffled reports of one given local randomiser.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/shuffle/blanket/randomizer.h"
#include "dpbudget/accounting/shuffle/blanket/sum.h"

namespace dpbudget::shuffle {

/// log of the largest over the pairs of E[(L_1 + ... + L_m)_+] / (n gamma), m ~ Bin(n, gamma), for n users who each
/// send one report and a trusted shuffler. L = (R_x(W) - e^epsilon R_x'(W)) / omega(W), W ~ omega; gamma omega = inf_z
/// R_z. Adjacency: replace_one.
/// @param reports  n, in [1, 2^53]
/// @param epsilon  in [0, inf)
/// @return a bracket around that, rounding included. Its upper end is also a proven upper bound on log delta of the
///         shuffled reports; its lower end is no lower one, for the truth may be below the expression. Its
///         width is mostly about 1e-4 for up to 1e9 reports; up to 1e-2 with less than 1000 reports where epsilon is 0
///         or next to the local one, and more where rare large values decide (Gaussian noise near 1 with few reports,
///         or local epsilons of 10 and more where few reports come from the blanket): work is bounded
/// @throws InvalidArgument naming the argument outside its range
/// No decomposition of the randomiser, of Su, Cheng, Wang's general clones, gives less: the infimum over the inputs is
/// the best common part, and the expression is evaluated as it is, without the paper's Hoeffding or Bennett bounds.
/// @source Balle, Bell, Gascon, Nissim 2019, Lemma 5.3; optimal by Su, Cheng, Wang 2025 (arXiv:2504.07414);
///         accounting/shuffle/blanket/proofs.md, 1.1
numeric::Bracket blanket_log_delta(const Randomizer& randomizer, std::uint64_t reports, double epsilon);

/// A bracket around log delta of the shuffled reports, rounding included: the greatest over neighbouring data sets.
/// -infinity for 0. `lower` is proven: all other users hold one value, the randomiser's witness (-infinity where there
/// is none); `upper` is that of `blanket_log_delta`. Arguments and errors as there. Adjacency: replace_one.
numeric::Bracket shuffled_log_delta(const Randomizer& randomizer, std::uint64_t reports, double epsilon);

/// The upper end alone, at half the cost.
/// @param accuracy  in (0, 1): how much larger delta may be, about, relative to itself, for each of two errors, beside
///                  what `blanket_log_delta` says; the work is in inverse proportion to its root
double shuffled_log_delta_bound(const Randomizer& randomizer, std::uint64_t reports, double epsilon,
                                double accuracy = full_accuracy);

/// The lower end alone.
double shuffled_log_delta_floor(const Randomizer& randomizer, std::uint64_t reports, double epsilon);

/// A bracket around the shuffled reports' epsilon. `upper`: where the upper end of `shuffled_log_delta` is at most
/// log(delta), proven (an estimate for pairs whose being worst is unproven), relatively at most 1e-6 larger than the
/// least one; infinite where no epsilon is known to do. `lower`: where the lower end still exceeds log(delta), proven.
/// Adjacency: replace_one.
/// @param reports  n, in [1, 2^53]
/// @param delta    in (0, 1)
/// @throws InvalidArgument naming the argument outside its range
Bound blanket_epsilon(const Randomizer& randomizer, std::uint64_t reports, double delta);

/// The lower end alone: 0 where no witness shows so much delta.
double blanket_epsilon_floor(const Randomizer& randomizer, std::uint64_t reports, double delta);

/// An epsilon at which `shuffled_log_delta_bound` with that accuracy is at most log(delta), mostly some percent above
/// the least one: what a tail is left out beyond takes no search for its last digits. Infinite where none is known.
/// Arguments and errors as there.
double epsilon_beyond(const Randomizer& randomizer, std::uint64_t reports, double delta, double accuracy);

}  // namespace dpbudget::shuffle
