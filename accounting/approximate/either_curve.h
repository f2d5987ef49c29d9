/// @file
/// The curve of a release that is one of two.
#pragma once

#include "dpbudget/accounting/approximate/curve.h"

namespace dpbudget::approximate {

/// The mean of two profiles is at most the larger, and at most the first and the second's probability.
/// @param of_second  the probability of the second, rounded up, in [0, 1]
/// @source accounting/plan/proofs.md, 5.2
CurvePtr either_curve(CurvePtr first, CurvePtr second, double of_second);

}  // namespace dpbudget::approximate
