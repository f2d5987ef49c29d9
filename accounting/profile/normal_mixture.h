/// @file
/// The privacy profile of Gaussian noise around a random shift.
#pragma once

#include "dpbudget/accounting/plan/normal_mixture.h"

namespace dpbudget::profile {

/// An upper bound on log of delta(epsilon) of the mixture and N(0, 1), the larger of both directions.
/// @param mixture  rounded up, with nothing beyond
/// @param epsilon  in [0, inf)
/// @return above it by less than 1e-9 (1 + |result|) where the two tails that it is a difference of are no closer than
///         a relative 1e-3; -infinity for a delta of 0
/// @source accounting/plan/proofs.md, 3.4
double normal_mixture_log_delta(const NormalMixture& mixture, double epsilon);

}  // namespace dpbudget::profile
