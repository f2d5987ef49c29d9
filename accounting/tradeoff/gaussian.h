/// @file
/// The trade-off function G_mu of Gaussian differential privacy.
#pragma once

namespace dpbudget::tradeoff {

/// log G_mu(a), G_mu(a) = Phi(Phi^{-1}(1 - a) - mu): the least type II error, of tests of type I error a, between N(0,
/// 1) and N(mu, 1). Adjacency: that of mu, the sensitivity over the noise's standard deviation.
/// @param mu              in [0, inf)
/// @param type_one_error  a, in [0, 1]
/// @return absolute error below 1e-12 (1 + |result|); 0 at a = 0, -infinity at a = 1
/// @throws InvalidArgument naming the argument outside its range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), equation (6)
double gaussian_log_type_two_error(double mu, double type_one_error);

/// 1 - G_mu(a), by itself, so that it keeps its digits where it is small. Arguments and errors as above.
double gaussian_power(double mu, double type_one_error);

/// log of delta(epsilon) = 1 + G_mu*(-e^epsilon).
/// @param mu       in [0, inf)
/// @param epsilon  finite; below 0 too
/// @return absolute error below 1e-12 (1 + |result|); -infinity for a delta of 0
/// @throws InvalidArgument naming the argument outside its range
/// @source Dong, Roth, Su 2019, Corollary 2.13
double gaussian_to_log_delta(double mu, double epsilon);

}  // namespace dpbudget::tradeoff
