/// @file
/// The privacy profile of the Gaussian mechanism, exactly: delta of epsilon, epsilon of delta, and the noise for both.
///
/// The composition of Gaussians is one Gaussian whose inverse variance is the sum of theirs (Dong, Roth, Su 2019,
/// Corollary 3.3), so these answer for it too. Adjacency: any; noise is measured against its L2 sensitivity. Deltas are
/// given by their logarithms, which a double holds wherever they lie.
#pragma once

#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::profile {

/// log of delta(epsilon) = P(Z > x) - e^epsilon P(Z > x + 1/s), x = epsilon s - 1/(2s), s = noise_multiplier.
/// @param epsilon           finite; below 0 too
/// @param noise_multiplier  in (0, inf)
/// @return absolute error below `gaussian_log_delta_error`
/// @throws InvalidArgument naming the argument outside its range
/// @source Balle, Wang 2018 (arXiv:1805.06530), Theorem 8
double gaussian_log_delta(double epsilon, double noise_multiplier);

/// By what `gaussian_log_delta` may be off, rounding included.
double gaussian_log_delta_error(double epsilon, double noise_multiplier);

/// The epsilon >= 0 at which delta is `delta`; 0 when it is less already there.
/// @param noise_multiplier  in (0, inf), such that the epsilon is finite
/// @param delta             in (0, 1)
/// @return relative error below 1e-12 where delta(0) exceeds `delta` by that much
/// @throws InvalidArgument naming the argument outside its range
double gaussian_epsilon(double noise_multiplier, double delta);

/// The least noise multiplier that gives delta(epsilon) <= delta.
/// @param epsilon  in [0, 1e12]
/// @param delta    in [1e-307, 1)
/// @return relative error below 1e-11
/// @throws InvalidArgument naming the argument outside its range
double gaussian_noise_multiplier(double epsilon, double delta);

/// A bracket around log delta, rounding included.
/// @param epsilon  finite, at least 0
numeric::Bracket gaussian_log_delta_bound(double noise_multiplier, double epsilon);

/// A bracket around epsilon, likewise; about 1e-13 wide, relatively.
/// @param delta  in (0, 1)
numeric::Bracket gaussian_epsilon_bound(double noise_multiplier, double delta);

}  // namespace dpbudget::profile
