/// @file
/// Events that amount to one Gaussian release around a random shift.
#pragma once

#include <optional>
#include <vector>

#include "dpbudget/accounting/plan/adjacency.h"
#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"

namespace dpbudget {

/// N(mean, 1), and how likely it is. Both positive and finite.
struct NormalShift {
  double probability;
  double mean;
};

/// The mixture of `shifts` and, with probability `at_zero`, N(0, 1).
struct NormalMixture {
  std::vector<NormalShift> shifts;  ///< at least one
  double at_zero = 0;               ///< in [0, 1]
  /// Relative, of all probabilities, from those of a mixture whose probabilities add up to 1, `beyond` included.
  double error = 0;
  double beyond = 0;  ///< at least the probability of a shift that tells all

  double highest_mean() const;
};

/// What the probabilities lack of 1, or exceed it by, where it is negative: right but for a relative 2^-90.
double rest_of(const std::vector<NormalShift>& shifts);

/// The mixture that tells a record, or a group, from its absence: it against N(0, 1), or under replace_one against its
/// mirror image. Of a mixture of Gaussians, and of a group in a Poisson sample whose sums have Gaussian noise. More
/// likely and farther shifts dominate, so that each is rounded to the side asked for.
/// @param rounding    up for what dominates the release, down for what it dominates
/// @param negligible  what `beyond` may be, of a group; with 0 there is nothing beyond
/// @return nothing for other events, and where means leave a double's range
/// @source accounting/plan/proofs.md, 3.1, 3.2 and 3.3
std::optional<NormalMixture> normal_mixture(const Event& event, Adjacency adjacency, Rounding rounding,
                                            double negligible);

}  // namespace dpbudget
