/// @file
/// Tensor products of trade-off functions, by which f-DP composes.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/tradeoff/trade_off.h"

namespace dpbudget::tradeoff {

/// A trade-off function, as often as it is a factor.
struct Factor {
  TradeOffPtr trade_off;
  std::uint64_t count;  ///< how often; in [0, 2^53]
};

/// The tensor product: of Gaussians alone the Gaussian of mu = sqrt(sum of mu^2); of polygons exactly while it has at
/// most 2^12 outcomes; otherwise by privacy-loss distributions, a
/// BracketedTradeOff.
/// @param factors    at least one, with a count above 0 in all
/// @param tolerance  how far apart the two bounds may be, in (0, 1); absolute
/// @throws InvalidArgument naming the argument outside its range
/// @throws Unsupported when a factor has no pair of distributions (`maximum` of others than polygons), or the tolerance
///         takes too many points
/// @source Dong, Roth, Su 2019, Theorem 3.2; accounting/tradeoff/proofs.md, 3.1
TradeOffPtr tensor(const std::vector<Factor>& factors, double tolerance = 1e-4);

}  // namespace dpbudget::tradeoff
