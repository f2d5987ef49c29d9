/// @file
/// What sampling and taking two guarantees together do to trade-off functions.
#pragma once

#include "dpbudget/accounting/tradeoff/trade_off.h"

namespace dpbudget::tradeoff {

/// C_p(f) = min{f_p, f_p^{-1}}**, f_p = p f + (1 - p) Id: what f-DP on a sample of fixed size gives. With the fixed
/// point x* = f(x*) of a symmetric f it is f_p up to x*, falls with slope -1 to f_p(x*), then is the inverse of f_p; a
/// polygon's is a polygon again, computed vertex by vertex.
/// Adjacency: replace_one.
/// @param f     symmetric, or piecewise linear
/// @param rate  p, in [0, 1]
/// @throws InvalidArgument naming `rate` outside its range
/// @source Dong, Roth, Su 2019 (arXiv:1905.02383), Theorem 4.2
TradeOffPtr subsampled(const TradeOffPtr& f, double rate);

/// max{f, g}: what holds when a mechanism is f-DP and g-DP. Its delta is given as the smaller of theirs: exact but
/// where the two cross, for polygons there too.
TradeOffPtr maximum(const TradeOffPtr& f, const TradeOffPtr& g);

}  // namespace dpbudget::tradeoff
