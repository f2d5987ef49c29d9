/// @file
/// Rényi DP of the Gaussian mechanism.
#pragma once

#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// Rényi divergence of order `order` between N(0, s^2) and N(1, s^2), s = noise_multiplier: order / (2 s^2).
/// Adjacency: any; the noise is measured against that adjacency's L2 sensitivity.
/// @param order             in [1, inf); 1 is the Kullback-Leibler divergence
/// @param noise_multiplier  noise standard deviation divided by the L2 sensitivity; in (0, inf)
/// @return nats, relative error below 1e-15
/// @throws InvalidArgument naming the argument outside its range
/// @source Mironov 2017 (arXiv:1702.07476), Corollary 3
double gaussian(double order, double noise_multiplier);

/// The curve order * inverse_variance / 2. Adaptive composition of Gaussians of different noise multipliers is one
/// Gaussian whose inverse variance is the sum of theirs (Dong, Roth, Su 2019, Corollary 3.3), and the discrete
/// Gaussian's curve is nowhere above it (Canonne, Kamath, Steinke 2020, Theorem 4).
/// @param inverse_variance  sum of 1 / noise_multiplier^2, rounded up; in [0, inf]
CurvePtr gaussian_curve(double inverse_variance);

}  // namespace dpbudget::renyi
