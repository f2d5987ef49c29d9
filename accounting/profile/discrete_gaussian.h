/// @file
/// The privacy profile of the discrete Gaussian mechanism.
#pragma once

namespace dpbudget::profile {

/// The sum of exp(-z^2 / (2 sigma^2)) over all integers z.
/// @param sigma  in (0, inf)
/// @return relative error below 2^-47
/// @throws InvalidArgument naming `sigma` outside its range
double discrete_gaussian_normaliser(double sigma);

/// log of the delta of one release: an integer of sensitivity `sensitivity` plus integer noise with P(z) proportional
/// to exp(-z^2 / (2 sigma^2)). Any adjacency.
/// @param epsilon      finite; below 0 too
/// @param sigma        in (0, 1e7], in absolute units
/// @param sensitivity  a whole number in [1, 2^53]
/// @return absolute error below 1e-12 (1 + |result|)
/// @throws InvalidArgument naming the argument outside its range
/// @source Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Theorem 7
double discrete_gaussian_log_delta(double epsilon, double sigma, double sensitivity);

}  // namespace dpbudget::profile
