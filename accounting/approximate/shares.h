/// @file
/// How much of a delta each of many releases should get.
#pragma once

#include <functional>

namespace dpbudget::approximate {

/// The share of each release that makes a composition small. What is tried are the deltas 2^(-i/4), the same for every
/// question, so that curves inside curves are asked the same questions again; and a few next to `most`.
/// @param most       in [0, 1): no share is above it
/// @param least      tried too, when it is at most `most`
/// @param objective  what is to be small; infinity where a share gives nothing
/// @return the share with the smallest value found: the search goes down from `most` by factors of 4 until the values
///         rise, then closes in on the best. A share that is not the best costs tightness, never validity.
double best_share(double most, double least, const std::function<double(double)>& objective);

}  // namespace dpbudget::approximate
