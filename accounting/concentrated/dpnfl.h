/// @file
/// The privacy of DPNFL and AdDPNFL (Chen et al. 2024): noisy local steps on batches drawn without replacement.
#pragma once

#include "dpbudget/accounting/concentrated/tcdp.h"

namespace dpbudget::concentrated {

/// One client's training. A local step releases the mean gradient of a batch plus N(0, noise_std^2) in every
/// coordinate. Its sensitivity is 2 gradient_bound / batch under replace_one.
struct Dpnfl {
  double participations;  ///< rounds in which the client takes part, an integer in [1, 2^53]; not their expectation
  double local_steps;     ///< in each of these rounds, an integer in [1, 2^53]
  double gradient_bound;  ///< G, on the L2 norm of every record's gradient; in (0, inf)
  double records;         ///< the client's, an integer in [1, 2^53]
  double batch;           ///< records drawn in each step, an integer in [1, records]
};

// Each function throws InvalidArgument naming the argument outside its range, and Unsupported naming the precondition
// of Lemma 4 that does not hold for q = batch / records and a step's rho = 2 G^2 / (batch^2 noise_std^2).

/// Lemmas 1, 4 and 3: (26 K tau G^2 / (n^2 s^2), B^2 s^2 log(n/B) / (8 G^2)), K participations, tau local steps, n
/// records, B batch, s noise_std. Adjacency: replace_one, of one record of the client.
/// @param noise_std  in (0, inf)
/// @return relative error below 1e-14
/// @source Chen et al. 2024, "Differentially Private Federated Learning on Non-iid Data", proof of Theorem 5
TruncatedCdp dpnfl_tcdp(const Dpnfl& training, double noise_std);

/// The one point of the conversion that Theorem 5 states, where log(1/delta) = (omega - 1)^2 rho.
struct DpnflTheorem5 {
  TruncatedCdp tcdp;
  double epsilon;    ///< rho (2 omega - 1)
  double log_delta;  ///< -rho (omega - 1)^2; -infinity below the range of a double
};

/// @param noise_std  in (0, inf)
/// @return relative error below 1e-14
/// @source Chen et al. 2024, Theorem 5
DpnflTheorem5 dpnfl_theorem5(const Dpnfl& training, double noise_std);

/// The least noise_std for which `tcdp_to_epsilon` of `dpnfl_tcdp` is at most `epsilon`: G sqrt(26 K tau / rho) / n
/// with rho = (sqrt(L + epsilon) - sqrt(L))^2, L = log(1/delta), while omega >= 1 + sqrt(L / rho) there; more
/// otherwise.
/// @param epsilon  in (0, inf)
/// @param delta    in (0, 1)
/// @return relative error below 1e-11 (where the second branch is nearly flat, what that much of epsilon costs), never
///         less noise than is needed
/// @source Chen et al. 2024, Lemmas 4, 3 and 2; Bun, Dwork, Rothblum, Steinke 2018, Lemma 6, for the second branch
double dpnfl_noise_std(const Dpnfl& training, double epsilon, double delta);

}  // namespace dpbudget::concentrated
