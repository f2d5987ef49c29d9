/// @file
/// Binomial noise measured against normal noise: a proven bound whatever the shift.
#pragma once

#include "dpbudget/accounting/shuffle/vector_sum/binomial_noise.h"

namespace dpbudget::shuffle {

/// The pair (Bin(n, p), k + Bin(n, p)) has, for every integer k, a trade-off function of at least G(a + tail) - tail,
/// where G is that of N(0, 1) against N(|k| slope, 1): up to `tail` it is dominated by a Gaussian pair
/// (accounting/shuffle/vector_sum/proofs.md, 1.1).
struct NormalDomination {
  double slope;  ///< close to 1 / standard deviation
  double tail;
};

/// The smallest slope that can be shown, rounded up: the normal scores z(i) = Phi^-1(P(X >= i)) fall by at most `slope`
/// from one i to the next, but for outcomes beyond tails of probability `tail`.
/// @param tail  in [1e-280, 1/4]
/// @return slope above the least one by a relative 5e-4 at most, for standard deviations above 100
/// @throws InvalidArgument naming the argument outside its range; Unsupported when all trials agree with a probability
///         above `tail`
/// @source accounting/shuffle/vector_sum/proofs.md, 1.1 and 2.1
NormalDomination normal_domination(const BinomialNoise& noise, double tail);

}  // namespace dpbudget::shuffle
