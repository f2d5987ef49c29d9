/// @file
/// The privacy loss of Gaussian noise around a random shift.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/normal_mixture.h"

namespace dpbudget::loss_distribution {

/// What a mixture is told from.
enum class Against {
  zero,   ///< N(0, 1)
  mirror  ///< the same mixture mirrored at 0
};

/// The mixture against N(0, 1) or against itself mirrored, which then is its own reverse; beyond its probability all is
/// told apart, in both of the mirrored ones.
/// @throws Unsupported when 2^24 cells do not suffice, or 2^22 cells of single shifts
/// @source accounting/loss_distribution/proofs.md, 4g.1, 4g.2 and 4g.3
Pieces normal_mixture_pieces(const NormalMixture& mixture, Against against, const Cut& cut);

}  // namespace dpbudget::loss_distribution
