/// @file
/// Whether a ledger's plan is the one that follows from its run.
#pragma once

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::fl {

/// Relative difference of two epsilons of `approximate` that count as one: a version that wrote the ledger may have
/// solved for them a little closer, or less close, than this one.
constexpr double solved_tolerance = 1e-6;

/// Whether two plans are equal, but for solved_tolerance.
bool is_same_plan(const Plan& recorded, const Plan& computed);

}  // namespace dpbudget::fl
