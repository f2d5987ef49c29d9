/// @file
/// From a plan to its curve.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/accounting/approximate/curve.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::approximate {

/// A plan's curve, and what it rests on.
struct PlanCurve {
  CurvePtr curve;
  std::vector<std::string> theorems;  ///< that the curve rests on, innermost first, each once
};

/// @throws Unsupported naming the event and what would work instead, where no theorem covers it under the adjacency
/// @throws InvalidArgument naming the number that is unknown or outside its range
PlanCurve curve_of(const NormalPlan& plan);

/// `count` adaptive repetitions of what `once` is of, by optimal composition.
/// @param count  in [0, 2^53]
PlanCurve repeated(std::uint64_t count, const PlanCurve& once);

}  // namespace dpbudget::approximate
