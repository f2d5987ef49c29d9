/// @file
/// What every accountant of this folder works on: a bound on the Rényi divergence at every order.
#pragma once

#include <limits>
#include <memory>

namespace dpbudget::renyi {

/// A proven upper bound on the Rényi divergence, rounding included, between the outputs on any two neighbours, in both
/// directions, as a function of the order.
///
/// A curve remembers what it computed, so one object belongs to one thread.
class Curve {
 public:
  Curve() = default;
  Curve(const Curve&) = delete;
  Curve& operator=(const Curve&) = delete;
  virtual ~Curve() = default;

  /// @param order  in (1, inf)
  /// @return epsilon(order) in nats; infinity when no bound is known there
  virtual double operator()(double order) const = 0;

  /// @return a bound at order infinity (the epsilon of pure DP); infinity when there is none
  virtual double at_infinity() const { return std::numeric_limits<double>::infinity(); }
};

/// A curve that plans share.
using CurvePtr = std::shared_ptr<const Curve>;

}  // namespace dpbudget::renyi
