/// @file
/// The losses of a release that sees each record in one of many steps only.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/loss_distribution/pieces/pair.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// How finely to cut what is dealt to `steps` steps, so that their sum may be cut at `step`.
double step_inside_allocation(double step, std::uint64_t steps);

/// From (P, Q) to the pair of the average of Q x ... x P x ... x Q over the places of P, and Q x ... x Q: random
/// allocation, the data set with the record against the one without it. For the opposite order use `reversed`
/// afterwards.
/// @param inner  of one step; masses that are left out must be few beside 1 / steps
/// @param steps  at least 1
/// @param side   the pieces are those of a pair that dominates the true one, or that it dominates
/// @param cut    of the result; tails below 1e-100 count as that
/// @throws Unsupported where losses are beyond 250 (on the lower side such outcomes count as one, of a smaller loss),
/// and where rounding adds up to more than a thousandth of the masses
/// @source Feldman, Shenfeld 2025, arXiv:2502.08202 (domination);
///         accounting/loss_distribution/proofs.md, 4c.1 to 4c.5
Pieces randomly_allocated(const Pieces& inner, std::uint64_t steps, Side side, const Cut& cut);

}  // namespace dpbudget::loss_distribution
