/// @file
/// Guarantees for several records at once, and for mechanisms on disjoint parts of the data.
#pragma once

#include <span>

#include "dpbudget/accounting/base/epsilon_delta.h"
#include "dpbudget/accounting/plan/adjacency.h"

namespace dpbudget::approximate {

/// What an (epsilon, delta)-DP mechanism guarantees to data sets `size` steps of the adjacency apart:
/// (size epsilon, delta (e^(size epsilon) - 1) / (e^epsilon - 1)), or size delta at epsilon 0. These are the theorem's
/// own numbers: a log delta above 0 says nothing more than delta = 1.
/// @param epsilon  in [0, inf)
/// @param delta    in [0, 1]
/// @param size     an integer in [1, 2^53]
/// @return relative error of delta below 1e-14 (1 + |log delta|)
/// @throws InvalidArgument naming the argument outside its range
/// @source Vadhan 2017, "The complexity of differential privacy", Lemma 2.2: the sum in its proof
EpsilonLogDelta group(double epsilon, double delta, double size);

/// How a record comes to be in a part of the data.
enum class PartOf {
  fixed_in_advance,  ///< by something that stays as it is when another record comes or goes, such as its holder
  record_content,    ///< by what the record itself says
};

/// The guarantee of mechanisms that run on disjoint parts of the data, each with its own, and may be chosen adaptively.
/// delta is at most 1.
///
/// Fixed in advance, under any adjacency: neighbours differ in one part, hence the largest epsilon and the largest
/// delta. Each part's guarantee is under that same adjacency.
///
/// By content, under add_or_remove_one: likewise. Under zero_out_one: likewise, where a part is the data set with all
/// records of other parts blanked.
///
/// By content, under replace_one: one part loses a record and one gains one, which may be the same. Each part's
/// guarantee is under *add_or_remove_one*, and the worst of all pairs of parts counts: twice the largest epsilon, and
/// the larger of the sum of the two largest deltas and of (1 + e^epsilon) delta of any one part.
///
/// @param parts  each with epsilon in [0, inf) and delta in [0, 1]; none guarantee (0, 0)
/// @throws InvalidArgument naming the number outside its range
/// @source McSherry 2009, Theorem 4, for epsilon alone; accounting/approximate/proofs.md, 4.1 and 4.2
EpsilonDelta parallel_composition(std::span<const EpsilonDelta> parts, Adjacency adjacency, PartOf part_of);

}  // namespace dpbudget::approximate
