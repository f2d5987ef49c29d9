/// @file
/// What a release, or a whole plan, is known to guarantee: epsilon as a function of delta.
#pragma once

#include <memory>

namespace dpbudget::approximate {

/// Proven (epsilon, delta)-DP: rounding has only enlarged epsilon.
class Curve {
 public:
  Curve() = default;
  Curve(const Curve&) = delete;
  Curve& operator=(const Curve&) = delete;
  virtual ~Curve() = default;

  /// @param delta  in [0, 1)
  /// @return an epsilon for which (epsilon, delta)-DP holds; infinity where none is known
  virtual double epsilon(double delta) const = 0;

  /// A delta below which no epsilon is known, and from which on one is, if at 0 or where the curve jumps.
  virtual double least_delta() const { return 0; }
};

/// A curve that plans share.
using CurvePtr = std::shared_ptr<const Curve>;

}  // namespace dpbudget::approximate
