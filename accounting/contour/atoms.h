/// @file
/// The transform of a loss that takes finitely many values.
#pragma once

#include <vector>

#include "dpbudget/accounting/contour/transform.h"

namespace dpbudget::contour {

/// A value that a loss takes.
struct Atom {
  double loss;  ///< finite
  double mass;  ///< positive
};

/// The law of exactly these doubles; what its mass lacks of 1 is an outcome without delta.
/// @param law  not empty
TransformPtr atoms(std::vector<Atom> law);

}  // namespace dpbudget::contour
