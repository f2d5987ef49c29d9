/// @file
/// The curves of single releases, by their exact privacy profiles. Any adjacency: noise is measured against it.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/approximate/curve.h"
#include "dpbudget/accounting/plan/normal_mixture.h"
#include "dpbudget/accounting/plan/table.h"

namespace dpbudget::approximate {

/// @param noise_multiplier  in (0, inf)
/// @source Balle, Wang 2018 (arXiv:1805.06530), Theorem 8
CurvePtr gaussian_curve(double noise_multiplier);

/// An integer of sensitivity 1. Above a noise multiplier of 100 a bound by the Gaussian's profile, which is larger by
/// a few percent of delta at most (accounting/approximate/proofs.md, 3.1).
/// @param noise_multiplier  in (0, inf)
/// @source Canonne, Kamath, Steinke 2020 (arXiv:2004.00010), Theorem 7
CurvePtr discrete_gaussian_curve(double noise_multiplier);

/// delta = 1 - e^((epsilon - 1/scale) / 2).
/// @param scale  in (0, inf)
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Proposition A.6
CurvePtr laplace_curve(double scale);

/// delta = (e^e - e^epsilon) / (e^e + categories - 1) for the parameter e: only the two true values tell anything.
/// @param epsilon     in [0, inf)
/// @param categories  in [2, 2^53]
CurvePtr randomized_response_curve(double epsilon, std::uint64_t categories);

/// Every (epsilon, delta)-DP mechanism: with probability delta a failure, else binary randomised response.
/// @param epsilon  in [0, inf]
/// @param delta    in [0, 1]
/// @source Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776), Theorem 3.2
CurvePtr approximate_dp_curve(double epsilon, double delta);

/// Every mechanism that has all of a table's (epsilon, delta) guarantees.
/// @param points  as ranges::points has them
/// @source accounting/profile/proofs.md, 1.1
CurvePtr table_curve(const Table& points);

/// Gaussian noise around a random shift. Adjacency: add_or_remove_one and zero_out_one.
/// @param mixture  rounded up, with nothing beyond
/// @source accounting/plan/proofs.md, 3.1 and 3.4
CurvePtr normal_mixture_curve(const NormalMixture& mixture);

}  // namespace dpbudget::approximate
