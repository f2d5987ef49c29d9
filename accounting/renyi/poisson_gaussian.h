/// @file
/// Rényi DP of the Poisson-subsampled Gaussian mechanism at every real order.
#pragma once

#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// Rényi divergence of one Poisson-subsampled Gaussian release, from the mixture (1-q) N(0, s^2) + q N(1, s^2) to
/// N(0, s^2): the larger of the two directions.
///
/// Each record joins the sample with probability `sampling_rate`, independently of the others. The sum of the sampled
/// records' contributions, each of L2 norm at most 1, is released with Gaussian noise of standard deviation
/// `noise_multiplier` in every coordinate.
///
/// Adjacency: add_or_remove_one and zero_out_one. Not replace_one: its sensitivity is 2 and its pair another.
///
/// @param sampling_rate     in [0, 1]; 0 spends nothing
/// @param noise_multiplier  noise standard deviation divided by the L2 sensitivity; in (0, inf)
/// @param order             in (1, inf)
/// @return nats, relative error below 1e-11. Where the quadrature would need more than 2^20 nodes (noise below 1e-3
///         and orders within 1e-3 of 1) the bound of Minkowski's inequality, which lies above
/// @throws InvalidArgument naming the argument outside its range
/// @source Mironov, Talwar, Zhang 2019 (arXiv:1908.10530), section 3.3; Theorem 5 for the direction.
///         accounting/renyi/proofs.md, 2.1 to 2.3, for the error of the quadrature
double poisson_gaussian(double sampling_rate, double noise_multiplier, double order);

/// The other direction, from N(0, s^2) to the mixture, never above `poisson_gaussian`.
/// Arguments, result and errors as there.
double poisson_gaussian_reverse(double sampling_rate, double noise_multiplier, double order);

/// The curve of `poisson_gaussian`, raised by its error. One set of quadrature nodes serves all orders.
/// @param sampling_rate     in [0, 1]
/// @param noise_multiplier  in (0, inf), rounded down
CurvePtr poisson_gaussian_curve(double sampling_rate, double noise_multiplier);

}  // namespace dpbudget::renyi
