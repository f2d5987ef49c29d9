/// @file
/// Rényi DP of the best of a random number of runs, whatever the score.
#pragma once

#include <functional>

#include "dpbudget/accounting/plan/trials.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// A delta, rounded up, for which one run is (epsilon, delta)-DP.
using DeltaOf = std::function<double(double epsilon)>;

/// @param trials  of a known mean, not 0
/// @param once    one run
/// @param delta   of one run; empty where nothing but `once` is known
/// @source Papernot, Steinke 2022 (arXiv:2110.03620), Theorems 2 and 6; accounting/renyi/proofs.md, 11.1 to 11.3
CurvePtr selected_curve(const Trials& trials, CurvePtr once, DeltaOf delta);

}  // namespace dpbudget::renyi
