/// @file
/// Random allocation into several steps, from above and from below.
#pragma once

#include <optional>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::loss_distribution {

/// A composition, in normal form, that dominates an allocation into several steps: as many allocations into one of the
/// steps of a block, the steps divided among as many blocks as evenly as can be.
/// @source Feldman, Shenfeld 2025; accounting/loss_distribution/proofs.md, 4c.6
Event blocks_of(const RandomlyAllocated& event, Adjacency adjacency);

/// The probability that a record is dealt into a given step, rounded down.
double share_of_step(const Steps& steps);

/// The noise of the sum of all outputs, against what a record adds to it: noise sqrt(number) / times, rounded up.
/// @return nothing where a double does not hold it
std::optional<double> noise_of_sum(const Steps& steps, double noise);

}  // namespace dpbudget::loss_distribution
