/// @file
/// The curves of compositions.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/approximate/curve.h"

namespace dpbudget::approximate {

/// `count` adaptive repetitions: each gets the same share of delta, and the optimal composition does the rest. The
/// share is searched for; any is valid.
/// @param count  in [0, 2^53]
/// @source Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776), Theorem 3.3
CurvePtr repeated_curve(double count, CurvePtr inner);

/// Repetitions of one release, as part of a composition.
struct Part {
  double count;
  CurvePtr curve;
};

/// The adaptive composition of different parts, the smallest of: basic composition of the repeated parts, each with an
/// equal share of delta; and, with an equal share for every single release, the closed form for different epsilons, or
/// the optimal composition where it has few terms.
/// @source Kairouz, Oh, Viswanath 2015, Theorem 3.5; Murtagh, Vadhan 2016 (arXiv:1507.03113), equation (1)
CurvePtr composed_curve(std::vector<Part> parts);

}  // namespace dpbudget::approximate
