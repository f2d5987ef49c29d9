/// @file
/// A few rounds that together bound every round on a batch of fixed size.
#pragma once

#include <vector>

namespace dpbudget::loss_distribution {

/// Upper bounds on a round's hockey-sticks at the ratios 1 + q/(1-q) others, divided by the sampling rate q, and on
/// those of the pair exchanged, which are the ones at ratios below 1.
struct BatchRound {
  std::vector<double> above;
  std::vector<double> below;
};

/// The hockey-stick of every pair of 4k.1, at every ratio, is at most a mean of the chords of `rounds`, with weights
/// that do not depend on the ratio.
/// @source accounting/loss_distribution/proofs.md, 4k.7
struct BatchKernels {
  std::vector<double> others;      ///< increasing from 0
  std::vector<BatchRound> rounds;  ///< with each the one exchanged
};

/// @param rate       q, in (0, 1)
/// @param deviation  of the noise, relative to the ball's diameter
/// @param farthest   the largest of `others`
BatchKernels batch_kernels(double rate, double deviation, double farthest);

}  // namespace dpbudget::loss_distribution
