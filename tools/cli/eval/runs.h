/// @file
/// Parameters of federated runs that many reference functions have.
#pragma once

#include "dpbudget/tools/cli/eval/given.h"
#include "dpbudget/tools/cli/eval/parameter.h"

namespace dpbudget::tools::runs {

inline constexpr Parameter rounds = {.name = "rounds", .meaning = "of the run", .unit = "rounds"};
inline constexpr Parameter local_steps = {
    .name = "local_steps", .meaning = "of a participant in a round", .unit = "steps"};
inline constexpr Parameter user_rate = {
    .name = "user_rate", .meaning = "probability that a user takes part in a round", .range = range::positive_rate};
inline constexpr Parameter record_rate = {.name = "record_rate",
                                          .meaning = "probability that a participant's record is in a step's batch",
                                          .range = range::positive_rate};
inline constexpr Parameter lipschitz = {.name = "lipschitz",
                                        .meaning = "bound on the L2 norm of every record's gradient",
                                        .unit = "gradient norm",
                                        .range = range::positive};
inline constexpr Parameter batch = {
    .name = "batch", .meaning = "in each step", .unit = "records", .range = range::at_least_1};
inline constexpr Parameter records = {
    .name = "records", .meaning = "of a client", .unit = "records", .range = range::at_least_1};

}  // namespace dpbudget::tools::runs
