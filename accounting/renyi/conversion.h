/// @file
/// From Rényi DP at one order to (epsilon, delta)-DP, and back.
#pragma once

namespace dpbudget::renyi {

// In every function: order in (1, inf), rdp = epsilon(order) in [0, inf), delta in (0, 1), epsilon in [0, inf), each
// refused by name (InvalidArgument) when outside. Any adjacency: it is that of the curve.

/// log(1 - 1/order), without cancellation for orders near 1.
double log_conversion_gain(double order);

/// epsilon such that (epsilon, delta)-DP holds.
/// @source Mironov 2017 (arXiv:1702.07476), Proposition 3
double to_epsilon_mironov(double order, double rdp, double delta);

/// The same, never larger; floored at 0.
/// @source Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Proposition 12; Balle et al. 2020, Theorem 21
double to_epsilon_canonne(double order, double rdp, double delta);

/// log delta such that (epsilon, delta)-DP holds, at most 0.
/// @source as to_epsilon_mironov
double to_log_delta_mironov(double order, double rdp, double epsilon);

/// The same, never larger.
/// @source as to_epsilon_canonne
double to_log_delta_canonne(double order, double rdp, double epsilon);

/// log of the total variation distance that Rényi divergence `rdp` of any order of at least 1 allows: a delta for every
/// epsilon of at least 0. log sqrt(1 - e^-rdp).
/// @source Bretagnolle, Huber 1979; Canonne 2022 (arXiv:2202.07198)
double to_log_total_variation(double rdp);

}  // namespace dpbudget::renyi
