/// @file
/// Outcomes whose losses are as good as one, made one.
#pragma once

#include <cstddef>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// The order of pieces.
inline bool has_less_loss(const Piece& a, const Piece& b) { return a.low < b.low; }

/// Pieces of which near ones were made one.
struct JoinedPieces {
  std::vector<Piece> pieces;
  double widest = 0;     ///< of those that were made of several
  std::size_t most = 1;  ///< how many became one
};

/// Those made one that are no further than `gap` apart, or together no wider than `width`, and have masses that are
/// accurate. The barycentre is that of the first.
/// @param sorted  by `has_less_loss`
/// @source accounting/loss_distribution/proofs.md, 4b.1
JoinedPieces join(std::vector<Piece> sorted, double gap, double width);

/// Makes atoms of joined pieces, which would overlap in further sums, and grow together: each is at its barycentre.
/// @param off  of the barycentres of those that were not joined
/// @source accounting/loss_distribution/proofs.md, 4b.6
void make_atoms(Pieces& pieces, double off);

}  // namespace dpbudget::loss_distribution
