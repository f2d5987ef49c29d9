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

  /// Whether its bounds, as the divergences themselves do, never fall in the order by more than a small part of
  /// themselves. Those of a theorem that is loose at some orders may; a search that knows that they do not is over
  /// sooner.
  virtual bool is_nondecreasing() const { return false; }
};

/// A curve that plans share.
using CurvePtr = std::shared_ptr<const Curve>;

}  // namespace dpbudget::renyi
