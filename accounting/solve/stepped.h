/// @file
/// From a value that is nearly inside a budget to one that is.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "dpbudget/accounting/plan/unknown_kind.h"

namespace dpbudget::solve {

/// Steps to the safe side, each as far as what the ones before have brought says, until nothing is beyond; a little too
/// far at most, but where nothing is said.
/// @param beyond_at  how far a value is from being inside, as Budget::Asked
/// @param farthest   a longer step, relatively, is one too many
/// @return nothing where no value was found
std::optional<double> stepped(UnknownKind kind, double value, const std::function<double(double)>& beyond_at,
                              double farthest = std::numeric_limits<double>::infinity());

}  // namespace dpbudget::solve
