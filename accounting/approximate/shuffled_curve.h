/// @file
/// The curve of shuffled reports.
#pragma once

#include "dpbudget/accounting/approximate/curve.h"

namespace dpbudget::approximate {

/// `reports` shuffled reports of a randomiser that is (local_epsilon, local_delta)-DP, by its clones summed exactly:
/// delta is that of the clone pair and (e^epsilon + 1) (1 + e^-local_epsilon / 2) reports local_delta besides. At least
/// as good as the local guarantee, which shuffling preserves. Adjacency: replace_one.
/// @param local_epsilon  in [0, inf)
/// @param local_delta    in [0, 1]
/// @param reports        an integer in [1, 2^53]
/// @source Feldman, McMillan, Talwar 2021 (arXiv:2012.12803), Theorems 3.2 and 3.8
CurvePtr shuffled_curve(double local_epsilon, double local_delta, double reports);

/// `silos` shuffled reports that are (local_epsilon, local_delta)-DP for each of a silo's `records` records: delta is
/// that of the silos' clone pair and (1 + e^epsilon) times what the reports are, in total variation, away from such
/// that are local_epsilon-DP. At least as good as the local guarantee.
/// @param local_epsilon  in [0, inf)
/// @param local_delta    in [0, 1]
/// @param records        an integer in [1, 2^53]
/// @param silos          an integer in [1, 2^53]
/// @source accounting/shuffle/proofs.md, 2.1 and 2b.1; Lowy, Razaviyayn 2023, Theorem D.14, whose constants are
/// lost
CurvePtr shuffled_silos_curve(double local_epsilon, double local_delta, double records, double silos);

}  // namespace dpbudget::approximate
