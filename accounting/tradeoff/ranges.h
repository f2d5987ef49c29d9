/// @file
/// The ranges of arguments that several trade-off functions share.
#pragma once

#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::tradeoff::ranges {

using namespace dpbudget::ranges;

/// @throws InvalidArgument unless in [0, inf)
inline void mu(double value) { require(0 <= value && std::isfinite(value), "mu", value, "in [0, inf)"); }

/// @throws InvalidArgument unless in [0, 1]
inline void type_one_error(double value) { require(0 <= value && value <= 1, "type_one_error", value, "in [0, 1]"); }

/// @throws InvalidArgument unless in [0, 1], by the name that eval's inputs have
inline void sampling_rate(double value) { require(0 <= value && value <= 1, "sampling_rate", value, "in [0, 1]"); }

}  // namespace dpbudget::tradeoff::ranges
