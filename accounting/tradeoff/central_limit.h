/// @file
/// Central limit theorems for the composition of trade-off functions, and how far they may be off.
///
/// The limits are estimates: they bound nothing at any finite number of steps. `BerryEsseen` does, where it says
/// anything at all.
#pragma once

#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/tradeoff/subsampled_gaussian.h"

namespace dpbudget::tradeoff {

/// mu of the limit for `steps` Poisson-subsampled Gaussians: q sqrt(T (e^{1/s^2} - 1)). An estimate.
/// Adjacency: add_or_remove_one.
/// @param sampling_rate     q, in [0, 1]
/// @param noise_multiplier  s, in (0, inf)
/// @param steps             T, in [0, 2^53]
/// @return relative error below 1e-12; infinity where it leaves the range of a double
/// @throws InvalidArgument naming the argument outside its range
/// @source Bu, Dong, Long, Su 2020 (arXiv:1911.11607), equation (4)
double clt_mu_poisson(double sampling_rate, double noise_multiplier, double steps);

/// log of that, also where a double cannot hold it. Absolute error below 1e-13 (1 + |result|); -infinity for 0.
double clt_log_mu_poisson(double sampling_rate, double noise_multiplier, double steps);

/// The same for samples of fixed size: sqrt(2) q sqrt(T) sqrt(e^{1/s^2} Phi(3/(2s)) + 3 Phi(-1/(2s)) - 2). An estimate.
/// Adjacency: replace_one.
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Corollary 5.4
double clt_mu_without_replacement(double sampling_rate, double noise_multiplier, double steps);
/// Its logarithm, where a double does not hold it.
double clt_log_mu_without_replacement(double sampling_rate, double noise_multiplier, double steps);

/// What the Berry-Esseen theorem says of `steps` compositions of a symmetric trade-off function f with f(0) = 1:
///   G_mu(a + gamma) - gamma <= f^{(x) steps}(a) <= G_mu(a - gamma) + gamma   for a in [gamma, 1 - gamma],
/// if gamma < 1/2. Then it is proven; with gamma of 1/2 or more it says nothing.
/// @source Dong, Roth, Su 2019, Theorem 3.4
struct BerryEsseen {
  double mu;     ///< 2 T kl / sqrt(T k2 - T kl^2)
  double gamma;  ///< 0.56 T k3 / (T k2 - T kl^2)^{3/2}
};

/// @param moments  of f
/// @param steps    in [1, 2^53]
/// @throws InvalidArgument naming the argument outside its range; Unsupported when f is the identity, which has no
/// limit
BerryEsseen berry_esseen(const LossMoments& moments, double steps);

/// The band around the composition at one type I error.
/// @param type_one_error  in [gamma, 1 - gamma]
/// @throws Unsupported naming the precondition that fails: gamma < 1/2, and the range of type_one_error
/// @source accounting/tradeoff/proofs.md, 5.2
numeric::Bracket berry_esseen_band(const BerryEsseen& limit, double type_one_error);

}  // namespace dpbudget::tradeoff
