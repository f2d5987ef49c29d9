/// @file
/// Zero-concentrated DP: rho-zCDP says that the Rényi divergence of every order a > 1 is at most rho a. Any adjacency.
#pragma once

#include <cstdint>

namespace dpbudget::concentrated {

// In every conversion: rho in [0, inf), delta in (0, 1), epsilon in [0, inf), each refused by name (InvalidArgument)
// when outside. A rho of 0 releases nothing: epsilon is 0 and log delta is -infinity.

/// epsilon = rho + 2 sqrt(rho log(1/delta)).
/// @return relative error below 1e-14
/// @source Bun, Steinke 2016 (arXiv:1605.02065), Proposition 1.3
double zcdp_to_epsilon(double rho, double delta);

/// log delta = -(epsilon - rho)^2 / (4 rho), or 0 when epsilon is at most rho.
/// @return relative error below 1e-14; -infinity below the range of a double
/// @source as zcdp_to_epsilon
double zcdp_to_log_delta(double rho, double epsilon);

/// The least epsilon over all orders a > 1: rho a + log((a-1)/a) - (log delta + log a) / (a-1), floored at 0.
/// @return relative error below 1e-13, or 1e-18 times the larger of the terms where they nearly cancel
/// @source Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Proposition 12; the best order:
///         accounting/concentrated/proofs.md, 2.1
double zcdp_to_epsilon_optimal(double rho, double delta);

/// The least log delta over all orders a > 1: (a-1) (rho a - epsilon + log((a-1)/a)) - log a.
/// @return error as zcdp_to_epsilon_optimal; -infinity below the range of a double
/// @source as zcdp_to_epsilon_optimal
double zcdp_to_log_delta_optimal(double rho, double epsilon);

/// rho of the Gaussian mechanism: 1 / (2 noise_multiplier^2).
/// @param noise_multiplier  noise standard deviation divided by the L2 sensitivity; in (0, inf)
/// @return relative error below 1e-15
/// @throws InvalidArgument naming the argument outside its range
/// @source Bun, Steinke 2016, Proposition 1.6
double gaussian_rho(double noise_multiplier);

/// The least rho of every mechanism that is epsilon-DP: epsilon tanh(epsilon / 2), which is below epsilon^2 / 2 and
/// epsilon. Binary randomised response attains it as the order tends to 1.
/// @param epsilon  in [0, inf)
/// @return relative error below 1e-15
/// @throws InvalidArgument naming the argument outside its range
/// @source accounting/concentrated/proofs.md, 1.1
double pure_rho(double epsilon);

/// rho for data sets that differ in `group_size` records: group_size^2 rho.
/// @param group_size  at least 1
/// @throws InvalidArgument naming the argument outside its range
/// @source Bun, Steinke 2016, Proposition 1.9
double group_rho(double rho, std::uint64_t group_size);

}  // namespace dpbudget::concentrated
