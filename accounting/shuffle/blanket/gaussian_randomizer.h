/// @file
/// Gaussian noise, which is no pure local DP, as the privacy blanket sees it.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/shuffle/blanket/randomizer.h"

namespace dpbudget::shuffle {

/// x + N(0, noise^2 I), x in the unit ball of `dimension` dimensions; noise is relative to the ball's radius.
///
/// In one dimension the blanket's density is that of N(0, noise^2) at |y| + 1, and the worst pair is 1 and -1 but for
/// pairs that are close to each other, which are bounded apart: everything is proven. In more dimensions the blanket is
/// made smaller, so that what is orthogonal to x - x' only dilutes it: proven too, but not the best that a blanket can
/// do. The lower ends of `shuffled_log_delta` are those of one dimension, where the others all hold x' or 0.
/// @param noise      standard deviation, in [1.42, 1e3]: above the root of 2, which the proof needs
/// @param dimension  in [1, 10000]
/// @param left_out   mass under R_x of large outputs that are left out and added to delta, in [1e-100, 0.1]: well below
///                   delta. The less it is, the larger are the values that the sum has to deal with.
/// @throws InvalidArgument naming the argument outside its range
/// @throws Unsupported when outputs tell the inputs apart by a factor above e^600
/// @source Balle et al. 2019, Lemma 5.3; without pure DP as in Takagi, Liew 2026 (arXiv:2601.19154); worst pair and
/// more
///         dimensions: accounting/shuffle/blanket/proofs.md, 6.1 and 6.2
Randomizer gaussian(double noise, std::uint64_t dimension, double left_out);

/// The inputs 1 and -1 alone, in one dimension; that no other pair in [-1, 1] is worse is proven only for the noise
/// that `gaussian` takes, and there but for close pairs.
/// @param noise     standard deviation, in [1, 1e3]: with less, sums have no tilt that this method could use
/// @param left_out  as above
/// @throws InvalidArgument, Unsupported as above
Randomizer gaussian_signs(double noise, double left_out);

}  // namespace dpbudget::shuffle
