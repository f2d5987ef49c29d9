/// @file
/// Random weights to start from.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Fills `weights` with independent draws, uniform around 0 with the given variance, keyed by (seed, initialisation,
/// step = layer).
void draw_weights(std::uint64_t seed, std::uint64_t layer, double variance, Eigen::Ref<Vector> weights);

}  // namespace dpbudget::fl
