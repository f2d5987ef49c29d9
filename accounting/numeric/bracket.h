/// @file
/// A number known between two others.
#pragma once

#include <cmath>

namespace dpbudget::numeric {

/// Both ends proven, rounding included. Where the number is a logarithm, -infinity stands for that of 0.
struct Bracket {
  double lower;
  double upper;

  double width() const { return upper - lower; }
  /// The upper end where the lower one is infinite.
  double middle() const { return std::isinf(lower) ? upper : lower + width() / 2; }
};

}  // namespace dpbudget::numeric
