/// @file
/// Checks of lists of guarantees, by the names of the lists.
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::approximate {

/// @throws InvalidArgument unless each is in [0, inf)
inline void check_epsilons(std::span<const double> epsilons) {
  for (const double epsilon : epsilons)
    require(0 <= epsilon && std::isfinite(epsilon), "one of epsilons", epsilon, "finite and at least 0");
}

/// @throws InvalidArgument unless each is in [0, 1]
inline void check_deltas(std::span<const double> deltas) {
  for (const double delta : deltas) require(0 <= delta && delta <= 1, "one of deltas", delta, "in [0, 1]");
}

/// Both, and that the lists are equally long.
inline void check_guarantees(std::span<const double> epsilons, std::span<const double> deltas) {
  const auto length = [](std::span<const double> list) { return "a list of " + std::to_string(list.size()); };
  require(deltas.size() == epsilons.size(), "deltas", length(deltas), "as long as epsilons, " + length(epsilons));
  check_epsilons(epsilons);
  check_deltas(deltas);
}

}  // namespace dpbudget::approximate
