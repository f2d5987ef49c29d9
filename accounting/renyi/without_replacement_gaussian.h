/// @file
/// The tight Rényi curve of the Gaussian mechanism on a sample drawn without replacement.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// The largest Rényi divergence that the trade-off function C_q(G_{1/s}) allows, at every real order.
///
/// A Gaussian mechanism of noise multiplier s that runs on a uniformly random subset, a fraction q of the records, is
/// C_q(G_{1/s})-DP. Its hockey-stick profile is q H_{1 + (t-1)/q}(N(1, s^2) || N(0, s^2)) = H_t(mixture || N(0, s^2))
/// for t >= 1, in both directions, and a Rényi moment is an integral over hockey-stick divergences; so
///
///   e^{(a-1) epsilon(a)} - 1 <= E[excess(a, x) + excess(1-a, x); x > 0],   excess(p, x) = (1+x)^p - 1 - p x,
///
/// with x as in mixture_moment.h. No sampling theorem for curves comes near: the leading term is a quarter of that of
/// Wang, Balle and Kasiviswanathan, whose sum moreover does not vanish with the noise.
///
/// Adjacency: replace_one.
/// @param sampling_rate     q, in [0, 1]
/// @param noise_multiplier  s: noise standard deviation divided by the replace-one L2 sensitivity (2 C for a sum of
///                          contributions clipped to C); in (0, inf)
/// @param order             in (1, inf)
/// @return nats, relative error below 1e-10
/// @throws InvalidArgument naming the argument outside its range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2 for C_q; Sason, Verdú 2016 (arXiv:1508.00335),
/// Proposition
///         3 for the integral; accounting/renyi/proofs.md, 5.1 to 5.3
double without_replacement_gaussian(double sampling_rate, double noise_multiplier, double order);

/// The curve of `without_replacement_gaussian`, raised by its error.
/// @param noise_multiplier  rounded down
CurvePtr without_replacement_gaussian_curve(double sampling_rate, double noise_multiplier);

/// The same for k-ary randomised response, hence (k = 2) for every epsilon-DP mechanism: x takes one positive value,
/// q (e^epsilon - 1), with probability 1/(e^epsilon + k - 1).
/// @param sampling_rate  in [0, 1]
/// @param epsilon        in [0, inf)
/// @param categories     in [2, 2^53]
CurvePtr without_replacement_randomized_response_curve(double sampling_rate, double epsilon, std::uint64_t categories);
/// And for a response that is told with some probability, as that of k-ary randomised response is.
CurvePtr without_replacement_told_response_curve(double sampling_rate, const ToldResponse& response);

}  // namespace dpbudget::renyi
