/// @file
/// The contour accountant: epsilon and delta of Gaussians, Poisson-sampled or not, to about ten digits, both ends
/// proven.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/contour/transform_of.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::contour {

/// A round of a plan, for any number of repetitions of it. Not to be shared between threads: it keeps what it has
/// computed.
class Contour {
 public:
  /// Errors as `transforms_of`.
  explicit Contour(const NormalPlan& round);

  /// Bounds on the smallest epsilon for which `count` repetitions of the round are (epsilon, delta)-DP.
  /// @param count  in [0, 2^53]
  /// @param delta  in (0, 1)
  /// @throws Unsupported when the integrand decays too slowly to be summed: few rounds, or rare ones
  Bound epsilon(std::uint64_t count, double delta) const;

  /// Bounds on the smallest delta.
  /// @param epsilon  in [0, inf)
  /// Count and errors as above.
  DeltaBound delta(std::uint64_t count, double epsilon) const;

 private:
  std::vector<std::string> theorems(std::uint64_t count) const;

  PlanTransforms transforms_;
};

/// The same for a plan as it is.
/// Errors as `Contour`.
/// @source the theorems it returns, and accounting/contour/proofs.md
Bound epsilon(const NormalPlan& plan, double delta);
DeltaBound delta(const NormalPlan& plan, double epsilon);

}  // namespace dpbudget::contour
