/// @file
/// What the private sum of vectors by shuffled bits spends, tightly: binomial noise on one count per coordinate.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/base/bound.h"

namespace dpbudget::shuffle {

/// One run of P_vec, or with dimension 1 of P_1D: every participant's coordinate, scaled to [0, granularity], is
/// rounded at random to one of the two integers beside it, and so many ones are sent, plus one for each of `bits` coins
/// of the given probability that comes up. What is released tells no more than the number of ones in each coordinate.
///
/// P_vec: vectors of L2 norm at most D, the coordinate v scaled to granularity (v + D) / (2 D); P_1D: a number in [0,
/// D], scaled to granularity v / D. Neighbours then differ, scaled, by at most `granularity` in L2 norm. Adjacency:
/// replace_one, a participant being one record.
/// @source accounting/shuffle/vector_sum/proofs.md, 3.5
struct VectorSum {
  std::uint64_t honest;       ///< participants that toss their coins, in [1, 2^53]: whoever drops out adds no noise
  std::uint64_t bits;         ///< coins of each participant and coordinate; at least 1, honest * bits <= 2^53
  double probability;         ///< of a coin; in (0, 1)
  std::uint64_t granularity;  ///< in [1, 2^26]
  std::uint64_t dimension;    ///< in [1, 2^53]
};

/// @throws InvalidArgument naming the argument outside its range
void check(const VectorSum& sum);

/// A bracket around the delta of one run. In one dimension the exact delta, up to 1e-6 of it. Otherwise, upper: each
/// coordinate's noise is dominated by normal noise up to a tail, so that only the L2 norm of the rounded difference
/// matters, and not how it is split among the coordinates. Lower: the exact delta of two data sets that differ by 2 D
/// along one coordinate.
/// @param epsilon  in [0, inf)
/// @return 1 where the coins are so few that all of them agree with a probability above 1e-4
/// @throws InvalidArgument naming the argument outside its range
/// @source accounting/shuffle/vector_sum/proofs.md; Cheu, Joseph, Mao, Peng 2021 (arXiv:2106.09805), for the protocol
DeltaBound vector_sum_delta(const VectorSum& sum, double epsilon);

/// A bracket around the epsilon of one run at `delta`.
/// @param delta  in (0, 1)
/// @throws InvalidArgument naming the argument outside its range; Unsupported when the coins are too few to show any
Bound vector_sum_epsilon(const VectorSum& sum, double delta);

/// The least `bits` whose proven delta at `epsilon` is at most `delta`; sum.bits is not looked at. Should the proven
/// delta not fall everywhere as bits grow, a number of bits that suffices though one less does not.
/// @throws Unsupported when honest * bits would be above 2^53
std::uint64_t vector_sum_least_bits(VectorSum sum, double epsilon, double delta);

/// An L2 norm and a probability.
struct NormShare {
  double norm;
  double probability;
};

/// A distribution that dominates, stochastically, the L2 norm of the rounded difference of any two neighbours, rounded
/// together: probabilities that sum to 1 and norms that increase, the last one never exceeded.
/// @param least  probabilities below this are not told apart, in (0, 1)
std::vector<NormShare> rounded_norms(std::uint64_t granularity, std::uint64_t dimension, double least);

}  // namespace dpbudget::shuffle
