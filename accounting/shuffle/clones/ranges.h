/// @file
/// The ranges of what shuffling takes besides a plan's numbers.
#pragma once

#include <cmath>
#include <string_view>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::shuffle::clone_ranges {

/// Beyond this odds times counts no longer fit a double. A clone is then rarer than 1e-282: shuffling hides nothing,
/// and what is left is the local guarantee.
inline constexpr double most_local_epsilon = 650;

/// @throws InvalidArgument unless in (0, 650]
inline void local_epsilon(double value) {
  require(0 < value && value <= most_local_epsilon, "local_epsilon", value,
          "in (0, 650]; beyond, shuffling adds nothing to the local guarantee");
}

/// @throws InvalidArgument unless an integer in [1, 2^53]
inline void positive_count(std::string_view name, double value) {
  require(1 <= value && value <= 0x1p53 && value == std::floor(value), name, value, "an integer in [1, 2^53]");
}
/// Users who report.
inline void reports(double value) { positive_count("reports", value); }
/// Records of a silo.
inline void records(double value) { positive_count("records", value); }
/// Silos that report.
inline void silos(double value) { positive_count("silos", value); }

}  // namespace dpbudget::shuffle::clone_ranges
