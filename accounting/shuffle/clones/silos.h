/// @file
/// Shuffling among silos that hold many records each (Lowy and Razaviyayn's cross-silo setting).
#pragma once

#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget::shuffle {

/// The clone pair of `silos` shuffled reports of one randomiser, which is local_epsilon-DP for every single one of its
/// silo's records, exactly `records` in each silo: replace_one says nothing of silos of different sizes, and a report
/// may tell its silo's size. Adjacency: one record of one silo is replaced. Other silos' data differ in all records, so
/// their reports are clones with probability e^(-records local_epsilon) only; the changed silo's own report changes by
/// local_epsilon (accounting/shuffle/proofs.md, 2.1).
/// @param local_epsilon  in (0, 650]
/// @param records        an integer in [1, 2^53]: of every silo
/// @param silos          an integer in [1, 2^53]
/// @throws InvalidArgument naming the argument outside its range
/// @source Lowy, Razaviyayn 2023, Theorem D.14, whose closed form this replaces by the exact sum
ClonePair silo_clones(double local_epsilon, double records, double silos);

/// log of an upper bound on delta, to 1e-10.
/// @param epsilon  in [0, inf)
double silo_clones_log_delta(double local_epsilon, double records, double silos, double epsilon);

}  // namespace dpbudget::shuffle
