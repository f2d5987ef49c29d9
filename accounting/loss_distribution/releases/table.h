/// @file
/// The losses of mechanisms of which a table of (epsilon, delta) guarantees is known.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/table.h"

namespace dpbudget::loss_distribution {

/// Of the pair that has the largest profile which the table allows. Any adjacency: it is that of the table.
/// @param points  as ranges::points has them
/// @source accounting/profile/proofs.md, 1.1
Pieces table_pieces(const Table& points);

}  // namespace dpbudget::loss_distribution
