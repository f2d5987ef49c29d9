/// @file
/// E[(sum of n independent copies)_+] by a contour integral, with a proven error.
#pragma once

#include "dpbudget/accounting/shuffle/blanket/law.h"

namespace dpbudget::shuffle {

/// The share of a sum that its aliases may have, and the end of its integral, where nothing else is asked for.
inline constexpr double full_accuracy = 4e-6;

/// log of E[(L_1 + ... + L_n)_+] / n, on the given side of the truth; -infinity where nothing positive is certain.
/// The trapezoid rule is exact for this integral but for aliases, which a tail bound covers; the hinge is smoothed by a
/// hundredth of its natural width so that the integral ends, which changes the result by some 5e-5, relatively, where
/// the sum has no atom near 0 (accounting/shuffle/blanket/proofs.md, 5.1).
/// @param law       on the same side
/// @param reports   n, in [1, 2^53]
/// @param accuracy  in (0, 1), in the place of `full_accuracy`
double log_mean_excess(const BlanketLaw& law, double reports, Side side, double accuracy = full_accuracy);

}  // namespace dpbudget::shuffle
