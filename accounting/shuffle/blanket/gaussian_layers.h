/// @file
/// How far the part of Gaussian noise that is orthogonal to two inputs dilutes their common part.
#pragma once

#include <cstdint>
#include <vector>

namespace dpbudget::shuffle {

/// Outputs with this probability, whatever the input, on which the blanket is thinned out by the factor
/// e^-log_thinning.
struct Layer {
  double probability;
  double log_thinning;
};

/// All layers, and what they leave out.
struct Layers {
  std::vector<Layer> layers;
  double left_out;        ///< upper bound on the probability of all other outputs
  double relative_error;  ///< of the probabilities
};

/// The layers of the outputs m + noise Z, Z ~ N(0, I) in `dimension` - 1 dimensions, for every m with |m| in
/// [least_offset, greatest_offset]: (|m|^2 + 2 noise <m, Z> + 2 |m + noise Z|) / (2 noise^2) is at most the layer's
/// log_thinning (accounting/shuffle/blanket/proofs.md, 6.2).
/// @param noise      in [1, 1e3]
/// @param dimension  in [2, 10000]
/// @param left_out   in [1e-100, 0.1], about
Layers gaussian_layers(double noise, std::uint64_t dimension, double least_offset, double greatest_offset,
                       double left_out);

}  // namespace dpbudget::shuffle
