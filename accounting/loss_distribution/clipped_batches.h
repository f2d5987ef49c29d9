/// @file
/// What samples of fixed size cost at most whose sums are of clipped vectors, which is more than a sensitivity says
/// (accounting/loss_distribution/proofs.md, 4k.2).
#pragma once

#include <optional>

#include "dpbudget/accounting/loss_distribution/evaluator.h"
#include "dpbudget/accounting/loss_distribution/mesh_search.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::loss_distribution {

/// Whether `event` has samples whose rounds may be bounded together.
bool has_clipped_batches(const Event& event);

/// Epsilon or log delta from above, of repetitions of the evaluator's plan: blocks of rounds on clipped batches tell no
/// more than the value of a game, and are composed with all else (accounting/loss_distribution/proofs.md, 4k.10).
/// @param known  what is known by the rounds' own dominating pair
/// @return nothing where there are no two rounds on clipped batches, or where a game says no more
std::optional<double> clipped_batches_from_above(Evaluator& evaluator, bool is_directed, const Question& question,
                                                 const MeshAnswer& known);

}  // namespace dpbudget::loss_distribution
