/// @file
/// Rényi divergences of shuffled reports.
///
/// Adjacency: replace_one. `reports` users, one report each, of one epsilon_0-DP local randomiser (clones.h).
#pragma once

#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/renyi/curve.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget::shuffle {

/// The Rényi divergence of a clone pair, the same in both directions, between two proven bounds:
/// log E[(1 + tau X)^order (1 - tau X)^(1 - order)] / (order - 1).
/// @param order  in (1, inf)
/// @param width  relative, as for log_delta; 0: as narrow as rounding and a few seconds allow
numeric::Bracket renyi_bracket(const ClonePair& pair, double order, Width width);

/// The divergence itself, to 1e-10: the sum over the number of clones is taken at equal distances, which for its smooth
/// terms is as good as every one.
double renyi_divergence(const ClonePair& pair, double order);

/// Upper bounds at every order, up to half a percent above the divergence: by moments where they are close, else by the
/// brackets above.
renyi::CurvePtr renyi_curve(const ClonePair& pair);

/// log(1 + C(order, 2) 4 (e^epsilon_0 - 1)^2 / n) / (order - 1), n = reports.
/// @param local_epsilon  in (0, 650]
/// @param reports        an integer in [1, 2^53]
/// @param order          an integer in [2, 2^53]
/// @throws InvalidArgument naming the argument outside its range; Unsupported unless order^4 e^(5 local_epsilon) <= n /
/// 9
/// @source Girgis, Data, Diggavi, Kairouz, Suresh 2021 (arXiv:2105.05180), Theorem 2
double girgis_renyi(double local_epsilon, double reports, double order);

/// Without the precondition, for nbar = floor((n - 1) / (2 e^epsilon_0)) + 1:
/// log(1 + C(l, 2) (e^e - 1)^2 / (nbar e^e) + sum_{i=3..l} C(l, i) i Gamma(i/2) ((e^2e - 1)^2 / (2 e^2e nbar))^(i/2)
///     + e^(e l - (n - 1) / (8 e^e))) / (l - 1), e = local_epsilon, l = order.
/// @param order  an integer in [2, 2^16]
/// @source the same, Theorem 1
double girgis_renyi_general(double local_epsilon, double reports, double order);

}  // namespace dpbudget::shuffle
