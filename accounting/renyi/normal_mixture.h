/// @file
/// Rényi DP of Gaussian noise around a random shift.
#pragma once

#include "dpbudget/accounting/plan/normal_mixture.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// The mixture and N(0, 1), in both directions: by quadrature, or where that takes too long, or loses the digits of a
/// small divergence, as the mean over shifts that are told apart, each sampled at the rate of all.
/// @param mixture  rounded up, with nothing beyond; one that `has_few_shifts`
/// @source accounting/renyi/proofs.md, 9.1, 9.2 and 9.3
CurvePtr normal_mixture_curve(const NormalMixture& mixture);

/// Whether its moments take no more than a second.
bool has_few_shifts(const NormalMixture& mixture);

}  // namespace dpbudget::renyi
