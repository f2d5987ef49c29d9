/// @file
/// How far the mean of fair signs exceeds a level.
#pragma once

#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/shuffle/clones/clone_count.h"

namespace dpbudget::shuffle {

/// A level in [0, 1] with its distance from 1: of the smaller of them every digit counts.
struct Level {
  double value;
  double below_one;
  double error;  ///< how far below_one may be off where value is above 1/2, and else value: absolutely
};

/// log E[(X - level)_+] for X = 2 B / m - 1, B ~ Bin(m, 1/2): the mean of m independent fair signs. All terms are
/// positive; what is left out is bounded by a series and counts in the upper end.
/// @param m           an integer in [1, 2^53]
/// @param negligible  what may be left out, relative
/// @return relative width about 1e-11, and `negligible`; with a hundred times
///         `negligible`, at least 1e-5, from m = 2^32 on
numeric::Bracket log_sign_tail(double m, const Level& level, double negligible);

}  // namespace dpbudget::shuffle
