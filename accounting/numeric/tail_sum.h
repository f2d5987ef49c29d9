/// @file
/// Sums over the upper tail of a binomial distribution, in logarithms: what the composition of (epsilon, delta)-DP
/// mechanisms comes down to.
#pragma once

#include <cmath>

#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::numeric {

/// The weight 1 - e^(start - slope i) of the i-th term of a tail. start in [-inf, 0], slope at least 0; start = -inf
/// weighs every term 1.
struct TailWeight {
  double start;
  double slope;
  double operator()(double i) const { return -std::expm1(start - slope * i); }
};

/// log of the sum of P(first + i) weight(i) over i = 0, 1, ... while first + i is at most the count.
/// The weighted tail of weighted_tail.h.
/// @param first  an integer, at least 0
/// @return relative error of the sum below 1e-11 + 1e-14 |result|; -infinity for an empty sum
double log_tail_sum(const Binomial& binomial, double first, const TailWeight& weight);

/// The same between two proven bounds (accounting/numeric/proofs.md, 4.7), as far apart as those of concave_tail.h.
Bracket log_tail_sum_bracket(const Binomial& binomial, double first, const TailWeight& weight);

}  // namespace dpbudget::numeric
