/// @file
/// The ranges of what shuffling takes besides a plan's numbers.
#pragma once

#include <cmath>
#include <string_view>

#include "dpbudget/accounting/require.h"

namespace dpbudget::shuffle::ranges {

/// @throws InvalidArgument unless in (0, inf)
inline void local_epsilon(double value) {
  require(0 < value && std::isfinite(value), "local_epsilon", value, "positive and finite");
}

/// @throws InvalidArgument unless an integer in [1, 2^53]
inline void positive_count(std::string_view name, double value) {
  require(1 <= value && value <= 0x1p53 && value == std::floor(value), name, value, "an integer in [1, 2^53]");
}
inline void reports(double value) { positive_count("reports", value); }
inline void records(double value) { positive_count("records", value); }
inline void silos(double value) { positive_count("silos", value); }

}  // namespace dpbudget::shuffle::ranges
