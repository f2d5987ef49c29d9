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

/// The least type II error of a test of type I error `type_one_error`: with an upper distribution a lower bound on the
/// trade-off function, by the duality f(a) = sup over e of 1 - delta(e) - exp(e) a.
/// @source Dong, Roth, Su 2019, Proposition 2.13
double trade_off_at(const LossDistribution& upper, double type_one_error);

}  // namespace dpbudget::loss_distribution
