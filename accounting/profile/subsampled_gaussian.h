/// @file
/// The privacy profile of the Gaussian mechanism on a sample drawn without replacement.
#pragma once

namespace dpbudget::profile {

/// log of the delta that the trade-off function C_p(G_mu) allows: p delta(log(1 + (e^epsilon - 1) / p)), delta that of
/// the Gaussian with noise multiplier 1 / mu, for epsilon >= 0. Adjacency: replace_one.
/// @param rate     p, in [0, 1]
/// @param mu       sensitivity over the noise's standard deviation; in [0, inf)
/// @param epsilon  finite; below 0 too
/// @return absolute error below 1e-12 (1 + |result|); -infinity for a delta of 0
/// @throws InvalidArgument naming the argument outside its range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2 and Proposition 2.12
double subsampled_gaussian_log_delta(double rate, double mu, double epsilon);

}  // namespace dpbudget::profile
