/// @file
/// The trade-off function C_p(G_mu): the Gaussian mechanism on a sample drawn without replacement.
#pragma once

namespace dpbudget::tradeoff {

/// log of C_p(G_mu)(a), C_p(f) = min{f_p, f_p^{-1}}** and f_p = p f + (1 - p) Id. With x* = Phi(-mu/2), the fixed point
/// of G_mu, it is f_p up to x*, then falls with slope -1 to f_p(x*), then is the inverse of f_p.
/// Adjacency: replace_one; a sample of fixed size.
/// @param sampling_rate   p, in [0, 1]
/// @param mu              sensitivity over the noise's standard deviation; in [0, inf)
/// @param type_one_error  a, in [0, 1]
/// @return absolute error below 1e-12 (1 + |result|); 0 at a = 0, -infinity at a = 1
/// @throws InvalidArgument naming the argument outside its range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2
double subsampled_gaussian_log_type_two_error(double sampling_rate, double mu, double type_one_error);

/// Moments of log|C_p(G_mu)'|, as the Berry-Esseen bound takes them.
struct LossMoments {
  double kl;             ///< - integral of log|f'|: the Kullback-Leibler divergence, in nats
  double second;         ///< integral of log^2|f'|
  double variance;       ///< second - kl^2, without the digits that this loses for a large mu
  double third_centred;  ///< integral of |log|f'| + kl|^3
};

/// By quadrature. Arguments as above, and mu at most 1e3.
/// @return relative error below 1e-11
/// @source Dong, Roth, Su 2019, equations before Theorem 3.4
LossMoments subsampled_gaussian_moments(double sampling_rate, double mu);

}  // namespace dpbudget::tradeoff
