/// @file
/// Parameters that many reference functions have, by the names that plans give them.
#pragma once

#include "dpbudget/tools/cli/eval/parameter.h"

namespace dpbudget::tools::given {

inline constexpr Parameter order = {
    .name = "order", .meaning = "order of the Rényi divergence", .range = range::open(1, range::infinity)};
inline constexpr Parameter noise_multiplier = {
    .name = "noise_multiplier",
    .meaning = "standard deviation of the noise over the L2 sensitivity under the adjacency",
    .range = range::positive,
    .aliases = {"noise"}};
inline constexpr Parameter scale = {.name = "scale",
                                    .meaning = "scale of the Laplace noise over the sensitivity under the adjacency",
                                    .range = range::positive};
inline constexpr Parameter rate = {.name = "rate",
                                   .meaning = "sampling rate: the probability that a record is in the sample",
                                   .range = range::probability,
                                   .aliases = {"sampling_rate"}};
inline constexpr Parameter epsilon = {
    .name = "epsilon", .meaning = "privacy loss asked about", .unit = "nats", .range = range::not_negative};
inline constexpr Parameter delta = {
    .name = "delta", .meaning = "delta of the guarantee asked for", .range = range::inside_0_1};
inline constexpr Parameter mu = {
    .name = "mu",
    .meaning = "L2 sensitivity over the standard deviation of the noise: 1 / noise_multiplier",
    .range = range::not_negative};
inline constexpr Parameter rho = {.name = "rho",
                                  .meaning = "divergence per order: that of order a is at most rho a",
                                  .unit = "nats",
                                  .range = range::not_negative};
inline constexpr Parameter omega = {
    .name = "omega", .meaning = "order below which that holds", .range = range::without_low(1, range::infinity)};

inline constexpr Parameter own_epsilon = {
    .name = "epsilon", .meaning = "of each mechanism", .unit = "nats", .range = range::not_negative};
inline constexpr Parameter own_delta = {.name = "delta", .meaning = "of each mechanism", .range = range::probability};
inline constexpr Parameter epsilons = {.name = "epsilons",
                                       .meaning = "one of each mechanism",
                                       .unit = "nats",
                                       .type = ParameterType::numbers,
                                       .range = range::not_negative};
inline constexpr Parameter deltas = {.name = "deltas",
                                     .meaning = "one of each mechanism",
                                     .type = ParameterType::numbers,
                                     .range = range::probability,
                                     .condition = "as many as epsilons"};
inline constexpr Parameter count = {.name = "count",
                                    .meaning = "how many mechanisms are composed",
                                    .unit = "mechanisms",
                                    .type = ParameterType::integer,
                                    .range = range::counts};
inline constexpr Parameter slack = {.name = "slack", .meaning = "delta that the composition adds"};

inline constexpr Parameter local_epsilon = {.name = "local_epsilon",
                                            .meaning = "epsilon of the local randomiser of each report",
                                            .unit = "nats",
                                            .range = range::without_low(0, 650)};
inline constexpr Parameter reports = {.name = "reports",
                                      .meaning = "users, who send one report each",
                                      .unit = "reports",
                                      .type = ParameterType::integer,
                                      .range = range::counts};
inline constexpr Parameter type_one_error = {
    .name = "type_one_error",
    .meaning = "probability that a test takes the first data set for the second",
    .range = range::probability};

}  // namespace dpbudget::tools::given
