/// @file
/// A curve at every real order from a theorem that holds at integer orders.
#pragma once

#include <cstdint>
#include <functional>

#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// The interpolation of Noble et al. (2022), equations 7 and 8: K(l) = l epsilon(l + 1) is convex with K(0) = 0, so
/// between two orders it lies below the chord. Upper bounds on epsilon at the two orders serve as well.
/// @param order          in [lower, upper]
/// @param lower          at least 1; at 1 the chord starts from K = 0 whatever `epsilon_lower`
/// @param epsilon_lower  bound at order `lower`
/// @return a bound on epsilon(order)
/// @source van Erven, Harremoës 2014 (arXiv:1206.2459), Theorem 11 and Corollary 2, for the convexity
double interpolate(double order, double lower, double epsilon_lower, double upper, double epsilon_upper);

/// `curve` up to order 1024, and above it the chords of its cumulants between every 128th part of an order: nowhere
/// below it, and cheap for theorems that sum over all orders up to one.
CurvePtr chorded_curve(CurvePtr curve);

/// Bounds at integer orders from 2 on, interpolated in between. Each bound is the smallest of
/// - the theorem;
/// - the curve without sampling: the divergence is jointly quasi-convex, so sampling never costs;
/// - what pure DP at the amplified epsilon allows, where there is one.
/// Above order 1024 only every 128th part of an order is evaluated, and the chord spans the gap; above 2^16 the
/// theorem's sum is left out.
/// @param theorem   a proven bound on epsilon(n), rounding included
/// @param base      the curve without sampling
/// @param infinity  epsilon at order infinity after sampling; infinity when there is none
CurvePtr amplified_curve(std::function<double(std::uint64_t)> theorem, CurvePtr base, double infinity);

}  // namespace dpbudget::renyi
