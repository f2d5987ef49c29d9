/// @file
/// The search for the order that gives the smallest bound.
#pragma once

#include <functional>
#include <limits>

namespace dpbudget::renyi {

/// An order, and what the objective is there.
struct BestOrder {
  double order;
  double value;
};

/// What an objective says of one order.
struct AtOrder {
  double value;                                                    ///< infinity and NaN count as infinitely bad
  double least_beyond = -std::numeric_limits<double>::infinity();  ///< no larger order has a value below this
};

/// The smallest value of `objective` over all orders in (1, inf). The search starts at order 2 and goes out by factors
/// of sqrt(e) in order - 1 on either side, until the objective has risen six times in a row or says that nothing better
/// lies beyond; then it looks at quarters of these steps around every valley seen on the way, since two may lie side by
/// side, and closes in on each by Brent's method. Integer orders beside the winner
/// are tried too, since interpolated curves have their kinks there. An order that is not the best costs tightness,
/// never validity.
BestOrder best_order(const std::function<AtOrder(double)>& objective);

}  // namespace dpbudget::renyi
