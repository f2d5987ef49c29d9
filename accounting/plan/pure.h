/// @file
/// The pure-DP guarantee that the numbers of a plan show by themselves.
#pragma once

#include "dpbudget/accounting/plan/adjacency.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// The epsilon of pure DP after sampling at rate `sampling_rate`: log(1 + sampling_rate (e^epsilon - 1)), rounded up.
/// Adjacency: add_or_remove_one for Poisson sampling, replace_one for sampling without replacement.
/// @param sampling_rate  in [0, 1]
/// @param epsilon        in [0, inf]
/// @source Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorems 8 and 9
double amplified_pure_epsilon(double sampling_rate, double epsilon);

/// The epsilon of pure DP of the best of a random number of runs that are epsilon-DP each, whatever the score.
/// @param trials   known
/// @param epsilon  in [0, inf]
/// @source accounting/plan/proofs.md, 6.1
double selected_pure_epsilon(const Trials& trials, double epsilon);

/// An epsilon for which `event` is epsilon-DP under `adjacency`, rounded up: releases add up, sampling that is analysed
/// under the adjacency amplifies, shuffling preserves. Infinity when none is known, as for Gaussians, for
/// (epsilon, delta)-DP with a delta, and for sampling that is not analysed.
/// @source Dwork, Roth 2014, Theorem 3.16 (composition); above (sampling)
double pure_epsilon(const Event& event, Adjacency adjacency);

}  // namespace dpbudget
