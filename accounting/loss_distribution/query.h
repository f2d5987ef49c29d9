/// @file
/// What a loss distribution answers: delta, epsilon and the trade-off function.
#pragma once

#include "dpbudget/accounting/loss_distribution/distribution.h"

namespace dpbudget::loss_distribution {

/// delta at `epsilon`, rounded to the distribution's side. On the upper side a distribution made by `compose_near`
/// answers from its first loss on.
double delta_at(const LossDistribution& distribution, double epsilon);

/// The epsilon at which delta is `delta`, rounded to the distribution's side; it may be negative.
/// On the upper side: infinity when the mass at infinity alone exceeds `delta`, and no less than the first loss. On the
/// lower side: -infinity when no mass exceeds `delta`, infinity when the mass at infinity does.
double epsilon_at(const LossDistribution& distribution, double delta);

/// The least type II error of a test of type I error `type_one_error`, by the duality f(a) = sup over real e of
/// 1 - delta(e) - exp(e) a: from an upper distribution a lower bound on the trade-off function, from a lower
/// distribution an upper bound.
/// @param distribution  a whole one, that answers at every e
/// @source Dong, Roth, Su 2019, Proposition 2.12
double trade_off_at(const LossDistribution& distribution, double type_one_error);

}  // namespace dpbudget::loss_distribution
