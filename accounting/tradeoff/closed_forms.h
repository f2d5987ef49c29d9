/// @file
/// Trade-off functions of (epsilon, delta)-DP and of Laplace noise.
#pragma once

namespace dpbudget::tradeoff {

/// f(a) = max{0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)}, the trade-off function of (epsilon, delta)-DP.
/// Adjacency: that of the guarantee.
/// @param type_one_error  a, in [0, 1]
/// @param epsilon         in [0, inf)
/// @param delta           in [0, 1]
/// @return relative error below 1e-15 where it is above 1e-300
/// @throws InvalidArgument naming the argument outside its range
/// @source Wasserman, Zhou 2010; Dong, Roth, Su 2019 (arXiv:1905.02383), equation (5)
double approximate_type_two_error(double type_one_error, double epsilon, double delta);

/// log of that, also where a double cannot hold it; -infinity for 0. Absolute error below 1e-15 (1 + |result|).
double approximate_log_type_two_error(double type_one_error, double epsilon, double delta);

/// log of the trade-off function of Laplace noise of scale 1/epsilon times the sensitivity: 1 - e^epsilon a for
/// a < e^-epsilon / 2, then e^-epsilon / (4 a) up to a = 1/2, then e^-epsilon (1 - a).
/// @param type_one_error  a, in [0, 1]
/// @param epsilon         in [0, inf)
/// @return absolute error below 1e-13 (1 + |result|)
/// @throws InvalidArgument naming the argument outside its range
/// @source Dong, Roth, Su 2019, section 2.1 and appendix A
double laplace_log_type_two_error(double type_one_error, double epsilon);

}  // namespace dpbudget::tradeoff
