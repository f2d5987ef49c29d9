/// @file
/// Rounds on batches of fixed size by brute force: outcomes on a grid of cells, which is post-processing.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/loss_distribution/releases/batch_triangle.h"
#include "dpbudget/accounting/numeric/normal.h"

namespace dpbudget::testing {

/// What two data sets give to an outcome.
struct BatchOutcome {
  double p;
  double q;
};

/// The outcomes of (1-rate) N(y) + rate N(x) against (1-rate) N(y) + rate N(x').
inline std::vector<BatchOutcome> outcomes(const loss_distribution::BatchTriangle& triangle, double rate, double width) {
  constexpr double reach = 7;
  std::vector<BatchOutcome> all;
  const auto mass = [&](double from, double mean) { return numeric::normal_mass(from - mean, from + width - mean); };
  const double high = triangle.height == 0 ? -reach + width / 2 : triangle.height + reach;
  for (double v = -reach; v < high; v += width) {
    const double low_v = triangle.height == 0 ? 1 : mass(v, 0);
    const double high_v = triangle.height == 0 ? 1 : mass(v, triangle.height);
    for (double t = -reach - triangle.side; t < reach + triangle.side; t += width) {
      const double absent = (1 - rate) * mass(t, triangle.foot) * high_v;
      all.push_back(
          {absent + rate * mass(t, triangle.side / 2) * low_v, absent + rate * mass(t, -triangle.side / 2) * low_v});
    }
  }
  return all;
}

/// A triangle of the ball of diameter 1 / deviation, by the slant and the turn of
/// accounting/loss_distribution/proofs.md, 4k.3.
inline loss_distribution::BatchTriangle in_ball(double slant, double turn, double deviation) {
  return {std::cos(slant) / deviation, -std::sin(turn) / 2 / deviation,
          std::max(0.0, std::cos(turn) + std::sin(slant)) / 2 / deviation};
}

}  // namespace dpbudget::testing
