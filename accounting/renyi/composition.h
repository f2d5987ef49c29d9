/// @file
/// Nodes that leave the order alone: composition, and participation that the adversary may learn.
#pragma once

#include <vector>

#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// A curve, as often as it is composed.
struct Weighted {
  double count;  ///< how often the curve's mechanism runs; in [0, 2^53]
  CurvePtr curve;
};

/// Adaptive composition: Rényi divergences of one order add up. Any adjacency.
/// @source Mironov 2017 (arXiv:1702.07476), Proposition 1
CurvePtr composed_curve(std::vector<Weighted> parts);

/// The round is `base` with probability `rate`, independently of the data, and independent of the record otherwise; the
/// adversary learns which. Given that, the moment is 1 - rate + rate e^{(a-1) epsilon(a)}. Any adjacency.
/// @param rate  in [0, 1]
/// @source accounting/renyi/proofs.md, 6.1: joint convexity of e^{(a-1) D_a}, with equality because the choice is seen
CurvePtr participating_curve(double rate, CurvePtr base);

}  // namespace dpbudget::renyi
