/// @file
/// The losses of a release that is one of several, where one sees which.
#pragma once

#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// One of several releases, and how often it is this one.
struct MixedLosses {
  double probability;
  Pieces pieces;  ///< at least one
};

/// What dominates the pair (sum w_i P_i, sum w_i Q_i) on outcomes that tell i, the w_i being the probabilities. Pieces
/// that overlap become one. Where probabilities add up to less than 1 the caller knows where the rest is.
/// @param components  at least one
/// @param error       relative, of the probabilities
/// @source accounting/plan/proofs.md, 2.1; accounting/loss_distribution/proofs.md, 4f.1
Pieces mixture(const std::vector<MixedLosses>& components, double error);

}  // namespace dpbudget::loss_distribution
