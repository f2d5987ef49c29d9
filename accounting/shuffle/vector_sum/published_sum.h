/// @file
/// The private sums of Cheu, Joseph, Mao and Peng with the parameters they publish.
///
/// The guarantees here are estimates: as formulas.md restates them they fail where the coins are few. For epsilon 15,
/// delta 0.01, one user and granularity 1, five coins of probability 0.42 are all zeros with probability 0.06 for one
/// of the neighbours, where the other one's count cannot be zero; claimed is (45, 0.01). vector_sum.h has what is
/// proven.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/shuffle/vector_sum/vector_sum.h"

namespace dpbudget::shuffle {

/// A protocol, what the paper says it guarantees (for neighbours at the largest distance; an estimate), and its error.
struct PublishedSum {
  VectorSum sum;
  double epsilon;
  double delta;
  double variance;  ///< of the estimate of each coordinate's sum, from above: noise and rounding
};

/// P_1D for `users` numbers in [0, bound]: the least bits above 180 g^2 log(2/delta) / (epsilon^2 users), of
/// probability 90 g^2 log(2/delta) / (bits epsilon^2 users). Published guarantee: (epsilon (2/g + |x - x'| / bound),
/// delta). Adjacency: replace_one.
/// @param epsilon      in (0, 15]
/// @param delta        in (0, 1/2)
/// @param bound        D, positive and finite
/// @param users        n, in [1, 2^53]
/// @param granularity  g, an integer of at least bound sqrt(users), at most 2^26
/// @return variance (D/g)^2 (n b p (1-p) + n/4)
/// @throws InvalidArgument naming the argument outside its range or the precondition
/// @source Cheu, Joseph, Mao, Peng 2021 (arXiv:2106.09805), section 3, as formulas.md 6.9 has it
PublishedSum published_scalar_sum(double epsilon, double delta, double bound, std::uint64_t users,
                                  std::uint64_t granularity);

/// The guarantee of P_1D for neighbours at `distance`: epsilon (2/granularity + distance/bound).
/// @param distance  in [0, bound]
double published_scalar_epsilon(double epsilon, double distance, double bound, std::uint64_t granularity);

/// P_vec for `users` vectors of L2 norm at most `bound`: P_1D on [0, 2 bound] in each coordinate, with
/// epsilon / (18 sqrt(log(1/delta))) and delta / (dimension + 1). Published guarantee: (epsilon, delta).
/// @param granularity  an integer of at least 2 bound sqrt(users), at most 2^26
/// @param dimension    in [1, 2^53]
/// Otherwise as published_scalar_sum.
PublishedSum published_vector_sum(double epsilon, double delta, double bound, std::uint64_t users,
                                  std::uint64_t granularity, std::uint64_t dimension);

}  // namespace dpbudget::shuffle
