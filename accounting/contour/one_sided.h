/// @file
/// Epsilon and delta of losses that are known on either side of the truth, by one contour for each side.
#pragma once

#include <cstdint>
#include <optional>

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
  double tolerance;            ///< relative width that the dominating pair's bracket is refined to; in (0, 1)
  bool is_from_above = false;  ///< whether nobody asks what data sets attain, where that is another pair
  /// Enough is a bracket that is_clear_of this epsilon, or an upper end that is at most this delta.
  std::optional<double> beside = std::nullopt;
};

/// What a logarithm of delta may be off by when delta is taken from it.
double error_of_log(double log_delta);

/// What delta is at most, by its logarithm.
double upper_delta(double log_upper);

/// Bounds on epsilon, at least 0.
/// @param losses  of a plan that releases something
/// @param delta   in (0, 1)
/// @throws DoesNotConverge where the dominating pair's bracket stays wider than the tolerance and `widest_given`
Checkable one_sided_epsilon(const PlanTransforms& losses, const Question& question, double delta);

/// Bounds on log delta. Where its upper end was enough the lower one may be that of 0.
/// @param epsilon  in [0, inf)
Checkable one_sided_log_delta(const PlanTransforms& losses, const Question& question, double epsilon);

}  // namespace dpbudget::contour
