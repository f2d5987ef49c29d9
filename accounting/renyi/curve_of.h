/// @file
/// The curve of a plan.
#pragma once

#include <string>
#include <vector>

#include "dpbudget/accounting/plan/normal_form.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// A plan's curve and the statements it rests on, innermost first, each once.
struct PlanCurve {
  CurvePtr curve;
  std::vector<std::string> theorems;
};

/// The Rényi curve of everything `plan` releases. Events and nodes may be nested in any way for which every node has a
/// theorem under the plan's adjacency:
/// - every leaf but ApproximateDp, Repeated, Composed, Participates: any adjacency;
/// - PoissonSampled: add_or_remove_one, zero_out_one;
/// - SampledWithoutReplacement, SampledWithReplacement, Shuffled: replace_one.
/// @throws Unsupported naming the event, the adjacency and what would work, for anything else
/// @throws InvalidArgument when a number of the plan is unknown or out of range
PlanCurve curve_of(const NormalPlan& plan);

}  // namespace dpbudget::renyi
