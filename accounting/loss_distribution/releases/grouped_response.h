/// @file
/// What epsilon-DP tells of a group.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::loss_distribution {

/// Discrete Laplace noise of scale 1/epsilon around an integer and around one that is `records` larger: no epsilon-DP
/// mechanism tells more of data sets so many steps apart. Its own reverse.
/// @param epsilon  in (0, inf), rounded up or down by a relative 2^-49 at most
/// @param records  in [1, 1024]
/// @source Dong, Roth, Su 2019, Theorem 2.14; accounting/loss_distribution/proofs.md, 4h.2
Pieces grouped_response_pieces(double epsilon, std::uint64_t records);

/// Whether that is the pair which dominates a group's release.
bool has_grouped_responses(const Grouped& group);

/// Whether data sets attain it.
bool is_attained_by_groups(const Event& inner);

}  // namespace dpbudget::loss_distribution
