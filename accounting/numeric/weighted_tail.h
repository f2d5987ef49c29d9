/// @file
/// Weighted sums over the upper tail of a binomial distribution.
#pragma once

#include <functional>

#include "dpbudget/accounting/numeric/binomial.h"

namespace dpbudget::numeric {

/// Over how many terms from `first` on the masses change by a factor e, about.
double scale_at(const Binomial& binomial, double first);

/// The weight of the outcome `first` + offset, for any real offset of at least -1: non-negative and non-decreasing from
/// 0 on, and smooth.
struct Weight {
  std::function<double(double)> at;
  double slope = 0;  ///< the weight has settled e^(-slope offset) away from a constant; 0 when it is a straight line
};

/// log of the sum of P(first + i) weight(i) over i = 0, 1, ... while first + i is at most the count. All terms are
/// positive; few are added one by one, and a long smooth tail is integrated, by the Euler-Maclaurin formula for
/// midpoints.
/// @param first  an integer, at least 0
/// @return relative error of the sum below 1e-12 + 1e-14 |result|, that of the weights apart; -infinity for an empty
/// sum
double log_weighted_tail(const Binomial& binomial, double first, const Weight& weight);

/// log of E[(X - c)_+] for a binomial X.
/// @param first   the least integer above c
/// @param excess  first - c, in (0, 1]: apart from `first`, so that it keeps its digits
/// @return as log_weighted_tail
double log_expected_excess(const Binomial& binomial, double first, double excess);

}  // namespace dpbudget::numeric
