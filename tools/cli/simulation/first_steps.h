/// @file
/// The local steps of a training round, over all clients.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dpbudget/fl/algorithms/step_sizes.h"

namespace dpbudget::tools {

/// The first local step of training round `round`, of the clients that step least and most; nothing where the algorithm
/// chooses its steps itself.
/// @param records  that each client holds
std::pair<std::optional<double>, std::optional<double>> first_steps(const fl::StepSizes& steps,
                                                                    const std::vector<std::uint64_t>& records,
                                                                    std::uint64_t round);

}  // namespace dpbudget::tools
