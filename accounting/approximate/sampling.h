/// @file
/// Amplification of (epsilon, delta)-DP by sampling.
#pragma once

#include <functional>

#include "dpbudget/accounting/base/epsilon_delta.h"

namespace dpbudget::approximate {

/// An (epsilon, delta)-DP mechanism on a secret sample: (log(1 + q (e^epsilon - 1)), q delta) for the rate q. For
/// Poisson sampling under add_or_remove_one, and for samples without replacement under replace_one; the mechanism's
/// guarantee is under the same adjacency.
/// @param epsilon        in [0, inf)
/// @param delta          in [0, 1]
/// @param sampling_rate  in [0, 1]
/// @return relative error of either below 1e-12
/// @throws InvalidArgument naming the argument outside its range
/// @source Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorems 8 and 9
/// @source accounting/approximate/proofs.md, 3.4
EpsilonLogDelta amplify_by_sampling(double epsilon, double delta, double sampling_rate);

/// log of the delta at `epsilon` that a mechanism has against data sets that differ in `size` records; not decreasing.
using LogDeltaOfGroup = std::function<double(double size)>;

/// A mechanism on a secret sample of `draws` records drawn with replacement from `population`, under replace_one:
/// epsilon' = log(1 + g (e^epsilon - 1)), g = 1 - (1 - 1/population)^draws, and delta' the sum over k = 1, ..., draws
/// of the probability that a record is drawn k times, times the delta against k records. What the sum leaves out is
/// added to delta'.
/// @param epsilon             in [0, inf)
/// @param population          an integer in [1, 2^53]
/// @param draws               an integer in [1, 10^9]
/// @param log_delta_of_group  the mechanism's, at `epsilon`, under replacement of `size` records
/// @return relative error of delta' below 1e-11 + 1e-14 |log delta'|
/// @throws InvalidArgument naming the argument outside its range
/// @throws Unsupported when more than 2^21 terms of the sum matter
/// @source Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorem 10
EpsilonLogDelta amplify_with_replacement(double epsilon, double population, double draws,
                                         const LogDeltaOfGroup& log_delta_of_group);

/// The same for a Gaussian whose noise is 1 / mu times its sensitivity under replace_one: k records shift it by k mu.
/// @param mu  in [1e-300, inf)
EpsilonLogDelta amplify_with_replacement_gaussian(double epsilon, double mu, double population, double draws);

}  // namespace dpbudget::approximate
