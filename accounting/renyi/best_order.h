/// @file
/// The search for the order that gives the smallest bound.
#pragma once

#include <functional>

namespace dpbudget::renyi {

struct BestOrder {
  double order;
  double value;
};

/// The smallest value of `objective` over all orders in (1, inf). The search starts at order 2 and goes out by factors
/// of e in order - 1 on either side until the objective has risen three times in a row, then closes in on the best by
/// Brent's method; integer orders beside the winner are tried too, since interpolated curves have their kinks there. An
/// order that is not the best costs tightness, never validity.
/// @param objective  takes the order; infinity and NaN count as infinitely bad
BestOrder best_order(const std::function<double(double)>& objective);

}  // namespace dpbudget::renyi
