/// @file
/// Plans whose losses are finitely many numbers, or nearly, without a mesh.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/loss_distribution/evaluator.h"
#include "dpbudget/accounting/loss_distribution/mesh_search.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::loss_distribution {

/// Whether `finite_answer` may be expected of `count` repetitions of the plan: its outcomes are no more than that, as
/// far as is seen without composing them.
/// @throws Unsupported where an event in `plan` has no theorem
bool has_few_outcomes(const NormalPlan& plan, std::uint64_t count);

/// Epsilon or log delta by the sum over all outcomes, both ends rounded outwards: as far apart as rounding puts them,
/// for the dominating pair.
/// @param is_unattained  whether no data sets attain the dominating pair
/// @return nothing where the losses are neither finite nor those of discrete Gaussian noise in samples, where they are
/// more than 2^20, rare ones aside, with such noise more than 2^14, and for deltas near the least double
/// @throws Unsupported where an event in `plan` has no theorem
std::optional<MeshAnswer> finite_answer(const NormalPlan& plan, bool is_unattained, const Question& question);

/// The same of discrete Gaussian noise in samples with losses that are near each other taken for one, where there are
/// too many to tell apart. It may be wide.
/// @param tolerance  relative width that need not be narrower where that takes long
/// @return nothing of other plans, nor where they are too many even so
/// @throws Unsupported where an event in `plan` has no theorem
/// @source accounting/loss_distribution/proofs.md, 4b.6
std::optional<MeshAnswer> joined_answer(const NormalPlan& plan, bool is_unattained, const Question& question,
                                        double tolerance);

/// Epsilon or log delta that data sets attain.
struct AttainedByFew {
  double value;
  witness::Outcomes witness;
};

/// The lower end for data sets that are neighbours where their outcomes are so few that meshes take longer, whatever
/// the dominating pair has.
/// @return nothing where they are more
/// @throws Unsupported where an event in `plan` has no theorem
std::optional<AttainedByFew> attained_by_few(const NormalPlan& plan, const Question& question);

}  // namespace dpbudget::loss_distribution
