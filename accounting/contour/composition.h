/// @file
/// The transform of a sum of independent losses.
#pragma once

#include <vector>

#include "dpbudget/accounting/contour/transform.h"

namespace dpbudget::contour {

/// Equal losses among those that are added up.
struct Part {
  double count;  ///< positive
  TransformPtr loss;
};

/// `count` copies of each part, all independent. At least one part.
TransformPtr composed(std::vector<Part> parts);

}  // namespace dpbudget::contour
