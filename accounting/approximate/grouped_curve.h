/// @file
/// The curve of what a release tells of a group.
#pragma once

#include "dpbudget/accounting/approximate/curve.h"

namespace dpbudget::approximate {

/// `records` times the inner epsilon, at a delta that together with what it is multiplied by stays within the one asked
/// about. It is searched for; any is valid. Any adjacency.
/// @param records  an integer in [1, 10^9]
/// @source Vadhan 2017, "The complexity of differential privacy", Lemma 2.2: the sum in its proof (group.h)
CurvePtr grouped_curve(double records, CurvePtr inner);

}  // namespace dpbudget::approximate
