/// @file
/// Published closed forms of amplification by shuffling. clones.h is tighter wherever they hold.
///
/// Adjacency: replace_one. `reports` users, one report each, of one randomiser; or, where it differs or adapts, users
/// in random order (clones.h).
#pragma once

#include "dpbudget/accounting/base/epsilon_delta.h"

namespace dpbudget::shuffle {

/// log(1 + (e^a - 1) / (e^a + 1) (8 sqrt(e^a log(4 / delta)) / sqrt(n) + 8 e^a / n)) for a = local_epsilon, n =
/// reports.
/// @param local_epsilon  in (0, 650], at most log(n / (16 log(2 / delta)))
/// @param reports        an integer in [1, 2^53]
/// @param delta          in (0, 1)
/// @throws InvalidArgument naming the argument outside its range; Unsupported where local_epsilon exceeds what the
///         theorem needs
/// @source Feldman, McMillan, Talwar 2021 (arXiv:2012.12803), Theorem 3.1
double clones_epsilon_closed_form(double local_epsilon, double reports, double delta);

/// The same for randomisers that are (local_epsilon, local_delta)-DP: (epsilon, delta + (e^epsilon + 1)
/// (1 + e^-local_epsilon / 2) reports local_delta).
/// @param local_delta  in [0, 1]
/// @return delta not above 1
/// @source Feldman, McMillan, Talwar 2021, Theorem 3.8
EpsilonDelta clones_closed_form_approximate(double local_epsilon, double local_delta, double reports, double delta);

/// Shuffled silos of exactly `records` records each, whose reports are (local_epsilon, 0)-DP for each record: the form
/// of `clones_epsilon_closed_form` with e^(records local_epsilon) in place of e^local_epsilon in the last factor.
///
/// The published statement lost its constants; this is the reading that agrees with the paper's other equations. It is
/// an estimate: silo_clones in silos.h is proven.
/// @param records  an integer in [1, 2^53]
/// @param silos    an integer in [1, 2^53]
/// @throws Unsupported where records * local_epsilon exceeds log(silos / (16 log(2 / delta)))
/// @source Lowy, Razaviyayn 2023, Theorem D.14, equation (21)
double silo_clones_epsilon_closed_form(double local_epsilon, double records, double silos, double delta);

}  // namespace dpbudget::shuffle
