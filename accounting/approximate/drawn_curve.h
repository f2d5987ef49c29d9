/// @file
/// The curve of a release on a batch that is drawn with replacement.
#pragma once

#include <cstdint>
#include <functional>

#include "dpbudget/accounting/approximate/curve.h"
#include "dpbudget/accounting/plan/copies.h"

namespace dpbudget::approximate {

/// The curve of what a batch releases against data sets that differ in so many of its records.
using CurveOfCopies = std::function<CurvePtr(std::uint64_t copies)>;

/// Half of delta goes to batches that hold the record more than K times, and K copies stand for all that hold it less
/// often: log(1 + q (e^epsilon - 1)) at what is left of delta, over q, for the rate q at which the record is drawn at
/// all. Adjacency: replace_one.
/// Of a group in a Poisson sample the same holds under add_or_remove_one (accounting/plan/proofs.md, 4.2).
/// @source Balle, Barthe, Gaboardi 2018 (arXiv:1807.01647), Theorem 10, whose delta this bounds; its exact sum is
///         `amplify_with_replacement`
CurvePtr drawn_curve(const Occurrences& law, CurveOfCopies curve_of_copies);

}  // namespace dpbudget::approximate
