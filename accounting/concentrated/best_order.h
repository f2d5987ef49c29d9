/// @file
/// The order at which the line rho a of Rényi divergences converts best, as its excess over 1.
#pragma once

namespace dpbudget::concentrated {

// Any order gives a valid bound, and one that is off costs the square of its relative error, which is below 1e-10. Up
// to the order found the bound decreases, beyond it increases (accounting/concentrated/proofs.md, 2.1): with orders
// below omega only, take the smaller of the two.

/// The order less 1 that minimises `tcdp_to_epsilon_optimal`: the root of rho t^2 + log(1 + t) = log(1/delta).
/// @param rho        in (0, inf)
/// @param log_delta  in (-inf, 0)
double best_excess_order_for_epsilon(double rho, double log_delta);

/// The order less 1 that minimises `tcdp_to_log_delta_optimal`: the root of rho (1 + 2 t) - log(1 + 1/t) = epsilon,
/// kept within [1e-300, 1e308].
/// @param rho      in (0, inf)
/// @param epsilon  in [0, inf)
double best_excess_order_for_delta(double rho, double epsilon);

}  // namespace dpbudget::concentrated
