/// @file
/// How large the gradients were that a sum was made of.
#pragma once

#include <algorithm>

namespace dpbudget::fl {

/// The largest L2 norm among some records' gradients, before clipping and as they entered the sum.
struct Norms {
  double largest = 0;
  double largest_clipped = 0;

  Norms with(const Norms& others) const {
    return {std::max(largest, others.largest), std::max(largest_clipped, others.largest_clipped)};
  }
};

}  // namespace dpbudget::fl
