/// @file
/// The refusal of features that a step of their preparation turns into no numbers.
#pragma once

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {

/// @param values  an Eigen expression of features, or of what is computed from them
/// @throws std::invalid_argument if one of them is not finite
template <class Values>
void require_finite(const Values& values) {
  require(values.allFinite(), "features", "not finite, or out of range once squared, scaled or projected", "finite");
}

}  // namespace dpbudget::fl
