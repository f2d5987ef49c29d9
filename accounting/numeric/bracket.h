/// @file
/// A number known between two others.
#pragma once

namespace dpbudget::numeric {

/// Both ends proven, rounding included.
struct Bracket {
  double lower;
  double upper;
};

}  // namespace dpbudget::numeric
