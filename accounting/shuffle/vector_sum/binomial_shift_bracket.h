/// @file
/// The privacy of binomial noise on a count, between two proven bounds.
#pragma once

#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::shuffle {

/// log of the delta of `binomial_shift_log_delta`, arguments as there, as a sum under concave weights
/// (accounting/shuffle/vector_sum/proofs.md, 5.1 to 5.3).
/// @return as log_concave_tail of accounting/numeric/concave_tail.h: apart by 1e-7 of delta at most, where the noise's
///         standard deviation is below 10^7 and delta above e^-700; -infinity where delta is 0
/// @throws InvalidArgument naming the argument outside its range
numeric::Bracket binomial_shift_log_delta_bracket(double trials, double probability, double shift, double epsilon);

}  // namespace dpbudget::shuffle
