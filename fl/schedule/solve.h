/// @file
/// Schedules that just meet a budget.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/sequence/sequence.h"
#include "dpbudget/fl/schedule/shape.h"

namespace dpbudget::fl {

/// What is left open in a schedule.
enum class OpenNumber {
  base_noise,  ///< the smallest sigma_0 that meets the budget
  decay,       ///< the smallest beta or factor in (0, 1] that does: the steepest decay
  hold,        ///< the fewest rounds of hold, or of each stair, in [0, rounds], that do
};

/// @param shape  of any value of the open number
/// @throws InvalidArgument naming factor unless larger values of the open number are more noise: longer stairs are less
///         where each is a step up
void require_solvable(OpenNumber open, const NoiseShape& shape);

/// The sequence of all rounds, given the open number. More noise for larger numbers is presumed, as `require_solvable`
/// ensures.
using SequenceAt = std::function<sequence::Sequence(double value)>;

/// What stands for an open number of a schedule.
struct OpenSolution {
  std::optional<double> value;  ///< absent when no value meets the budget, or every value does
  bool every_value = false;
  Bound at_value;  ///< the accountant's bound at `value` itself: upper is at most epsilon
};

/// The value at which `rounds` rounds just meet the budget, from the safe side, by solve::by_accountant; of a decay it
/// is 1 - decay that is found to that precision.
/// @param rounds   in [1, 2^53]
/// @param epsilon  in [0, inf)
/// @param delta    in (0, 1)
/// @throws InvalidArgument, Unsupported as `sequence_at` and the accountant
OpenSolution solve_schedule(OpenNumber open, const SequenceAt& sequence_at, std::uint64_t rounds, AccountantName name,
                            double tolerance, double epsilon, double delta);

}  // namespace dpbudget::fl
