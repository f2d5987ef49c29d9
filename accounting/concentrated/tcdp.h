/// @file
/// Truncated concentrated DP: (rho, omega)-tCDP says that the Rényi divergence of every order a in (1, omega) is at
/// most rho a. With omega infinite it is rho-zCDP. Any adjacency.
#pragma once

#include <cstdint>

namespace dpbudget::concentrated {

/// What a mechanism is that is (rho, omega)-tCDP.
struct TruncatedCdp {
  double rho;    ///< at least 0; 0 releases nothing
  double omega;  ///< above 1; may be infinity
  friend bool operator==(const TruncatedCdp&, const TruncatedCdp&) = default;
};

// In every function: rho in [0, inf), omega in (1, inf], delta in (0, 1), epsilon in [0, inf), each refused by name
// (InvalidArgument) when outside. A rho of 0 has epsilon 0 and log delta -infinity.

/// Adaptive composition: (rho_1 + rho_2, min(omega_1, omega_2)), the sum rounded up.
/// @source Bun, Dwork, Rothblum, Steinke 2018; Chen et al. 2024, Lemma 3
TruncatedCdp composed(const TruncatedCdp& first, const TruncatedCdp& second);

/// `count` adaptive repetitions: (count rho, omega), the product rounded up.
/// @param count  in [0, 2^53]
/// @source as composed
TruncatedCdp repeated(std::uint64_t count, const TruncatedCdp& once);

/// The guarantee for data sets that differ in `group_size` records: (group_size^2 rho, omega / group_size).
/// @param group_size  at least 1
/// @throws Unsupported unless omega / group_size is above 1: no order is left
/// @source Bun, Dwork, Rothblum, Steinke 2018
TruncatedCdp group(const TruncatedCdp& single, std::uint64_t group_size);

/// epsilon = rho + 2 sqrt(rho L) for L = log(1/delta) up to (omega-1)^2 rho, and rho omega + L / (omega-1) beyond.
/// @return relative error below 1e-14
/// @source Bun, Dwork, Rothblum, Steinke 2018, Lemma 6; Chen et al. 2024, Lemma 2, is the first branch
double tcdp_to_epsilon(double rho, double omega, double delta);

/// The inverse: log delta = 0 for epsilon up to rho, -(epsilon - rho)^2 / (4 rho) up to (2 omega - 1) rho, and
/// (omega-1) (rho omega - epsilon) beyond.
/// @return relative error below 1e-14; -infinity below the range of a double
/// @source as tcdp_to_epsilon
double tcdp_to_log_delta(double rho, double omega, double epsilon);

/// The least epsilon over all orders a in (1, omega): rho a + log((a-1)/a) - (log delta + log a) / (a-1), floored at 0.
/// Where the best order would be omega or more, the limit a -> omega.
/// @return relative error below 1e-13, or 1e-18 times the larger of the terms where they nearly cancel
/// @source Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Proposition 12; the best order:
///         accounting/concentrated/proofs.md, 2.1
double tcdp_to_epsilon_optimal(double rho, double omega, double delta);

/// The least log delta over all orders a in (1, omega): (a-1) (rho a - epsilon + log((a-1)/a)) - log a.
/// @return error as tcdp_to_epsilon_optimal; -infinity below the range of a double
/// @source as tcdp_to_epsilon_optimal
double tcdp_to_log_delta_optimal(double rho, double omega, double epsilon);

}  // namespace dpbudget::concentrated
