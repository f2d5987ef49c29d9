/// @file
/// The privacy profile of the Poisson-subsampled Gaussian mechanism, one step and a few composed.
#pragma once

#include <cstdint>

namespace dpbudget::profile {

/// Which neighbour comes first: `remove` is delta of the mixture (1-q) N(0, s^2) + q N(1, s^2) against N(0, s^2), `add`
/// of N(0, s^2) against the mixture.
enum class Direction { remove, add };

/// log of delta(epsilon) of one step. Adjacency: add_or_remove_one and zero_out_one.
/// @param rate              q, in [0, 1]
/// @param noise_multiplier  s, in (0, inf)
/// @param epsilon           finite; below 0 too
/// @return absolute error below 1e-12 (1 + |result|); -infinity for a delta of 0, which `add` has from
///         epsilon = -log(1-q) on
/// @throws InvalidArgument naming the argument outside its range
/// @source Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorem 8, on Balle, Wang 2018, Theorem 8
double poisson_gaussian_log_delta(double rate, double noise_multiplier, double epsilon, Direction direction);

/// The same for `steps` steps composed, by quadrature over the losses of all but the last of them.
/// @param steps  1, 2 or 3
/// @return absolute error below 1e-11 (1 + |result|)
/// @throws InvalidArgument naming the argument outside its range
double poisson_gaussian_composed_log_delta(double rate, double noise_multiplier, double epsilon, std::uint64_t steps,
                                           Direction direction);

}  // namespace dpbudget::profile
