/// @file
/// The transform of everything that a plan releases.
#pragma once

#include <string>
#include <vector>

#include "dpbudget/accounting/contour/transform.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::contour {

/// The transforms of the plan's loss, one for each way round that neighbours may be told apart; a plan without
/// sampling has one, for both are alike. None when nothing is released.
struct PlanTransforms {
  std::vector<TransformPtr> directions;
  std::vector<std::string> theorems;  ///< what they rest on, each once

  void cite_composition();
};

/// Gaussian, Repeated, Composed, Participates: any adjacency. PoissonSampled around Gaussians and their compositions:
/// add_or_remove_one, zero_out_one.
/// @throws Unsupported naming the event, the adjacency and what would work, for anything else
/// @throws InvalidArgument when a number of the plan is unknown or out of range
PlanTransforms transforms_of(const NormalPlan& plan);

}  // namespace dpbudget::contour
