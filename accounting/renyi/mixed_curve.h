/// @file
/// The Rényi curve of a release that is one of several.
#pragma once

#include <vector>

#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// One of several releases.
struct MixedTerm {
  double log_probability;  ///< that it is this one, rounded up
  CurvePtr curve;
};

/// The mean of the terms' moments: the moment of pairs P and Q that are mixtures of the terms' pairs with the same
/// probabilities is no larger, since moments are jointly convex.
/// @param terms  at least one, whose probabilities add up to 1
CurvePtr mixed_curve(std::vector<MixedTerm> terms);

}  // namespace dpbudget::renyi
