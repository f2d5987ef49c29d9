/// @file
/// Epsilon and delta of losses that are known on either side of the truth, by one contour for each side.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/witness.h"
#include "dpbudget/accounting/contour/plan_transforms.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::contour {

/// A bracket of epsilon or of log delta, and what its ends can be checked by.
struct Checkable {
  numeric::Bracket bounds;
  Witnesses witnesses = {};
  double width = 0;         ///< relative, of the dominating pair's bracket, where that was refined to a tolerance
  bool is_resolved = true;  ///< whether that was reached, and with ease: where it was not meshes may see more
};

/// Brackets that are wider, relatively, say little.
inline constexpr double widest_given = 0.1;

/// What is asked of `count` repetitions of a plan.
struct Question {
  std::uint64_t count;
  double tolerance;  ///< relative width that the dominating pair's bracket is refined to; in (0, 1)
};

/// Bounds on epsilon, at least 0.
/// @param losses  of a plan that releases something
/// @param delta   in (0, 1)
/// @throws DoesNotConverge where the dominating pair's bracket stays wider than the tolerance and `widest_given`
Checkable one_sided_epsilon(const PlanTransforms& losses, const Question& question, double delta);

/// Bounds on log delta.
/// @param epsilon  in [0, inf)
Checkable one_sided_log_delta(const PlanTransforms& losses, const Question& question, double epsilon);

}  // namespace dpbudget::contour
