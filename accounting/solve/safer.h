/// @file
/// Where to go from a value that just does not fit.
#pragma once

#include <algorithm>

#include "dpbudget/accounting/plan/unknown_kind.h"

namespace dpbudget::solve {

/// Of a real value, what the nearest that is looked at is away.
inline constexpr double nearest_share = 1e-12;

/// A value on the safe side of `value`, so many times as far as the nearest that is looked at: the next whole number,
/// or a relative 1e-12.
constexpr double safer(UnknownKind kind, double value, double times) {
  const bool is_less = is_cost(kind);
  const double least = is_size(kind) ? 1 : 0;
  if (is_whole(kind)) return is_less ? std::max(least, value - times) : value + times;
  return is_less ? value * std::max(0.0, 1 - nearest_share * times) : value * (1 + nearest_share * times);
}

}  // namespace dpbudget::solve
