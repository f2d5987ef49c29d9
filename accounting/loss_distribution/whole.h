/// @file
/// A composition as a whole, for what is done with all of its losses.
#pragma once

#include <vector>

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/moments.h"

namespace dpbudget::loss_distribution {

/// The composition of `parts` as a whole, for use inside further sampling: on the upper side it dominates at every
/// epsilon, negative ones included.
/// @param tail  mass that the window may leave out at either end, under P above and under Q below
LossDistribution compose_whole(const std::vector<Part>& parts, double tail);

}  // namespace dpbudget::loss_distribution
