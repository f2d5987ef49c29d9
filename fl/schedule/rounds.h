/// @file
/// What a run with scheduled noise releases, round after round.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/sequence/sequence.h"
#include "dpbudget/fl/schedule/noise_schedule.h"

namespace dpbudget::fl {

/// What every round does, whatever its noise: with probability `user_rate` the client takes part, and then makes as
/// many releases `step` as the schedule has local steps. Its plan, with the step of a mean gradient of m of n records,
///
///     participates(user_rate, tau x wor(m of n, gaussian(noise)))
///
/// is proven against the server and a third party alike, for whatever the client sends as a function of those releases
/// and of what the server knows, such as SCAFFOLD's control variates: proven_plan.h says why.
struct RoundRecipe {
  Rate user_rate;  ///< in (0, 1]
  Event step;      ///< one local step, its noise multiplier or scale the one unknown
};

/// The first round after `round` whose noise may be another; 2^64 - 1 when it never changes again.
/// @param round  in [1, 2^53]
std::uint64_t next_change(const NoiseShape& shape, std::uint64_t round);

/// The event of one round; equal noises next to each other are one repetition.
/// @param round  in [1, 2^53]
/// @throws InvalidArgument naming user_rate or step when they are not as above, or as NoiseSchedule::noise
Event round_event(const NoiseSchedule& schedule, const RoundRecipe& recipe, std::uint64_t round);

/// All of the first `rounds` rounds. When more than 2000 steps next to each other differ, noises are rounded down to
/// powers of 1 + tolerance times the base noise, and the sequence is not `is_exact`: less noise reveals no less,
/// because the difference can be added afterwards, independently of the data.
/// @param tolerance  in (0, 1)
/// @throws Unsupported when the noise changes more than 10^7 times
/// @throws InvalidArgument as `round_event`
sequence::Sequence scheduled_rounds(const NoiseSchedule& schedule, const RoundRecipe& recipe, Adjacency adjacency,
                                    std::uint64_t rounds, double tolerance);

}  // namespace dpbudget::fl
