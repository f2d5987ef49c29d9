/// @file
/// A privacy-loss distribution on a grid: what composition works on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pair.h"

namespace dpbudget::loss_distribution {

/// Points offset + i mesh.
struct Grid {
  double mesh;        ///< positive
  double offset = 0;  ///< for distributions whose atoms would otherwise miss the grid
};

/// Mass of P by privacy loss. The mass of Q at a point is that of P times e^-loss.
///
/// The loss of `mass[i]` is offset + (first + i) mesh, exact but for `slack`: it is that plus `slack` on the upper
/// side, and that less `slack` on the lower side. The masses themselves lie on their side of the truth, rounding
/// included.
/// @source accounting/loss_distribution/proofs.md, 1.1 and 1.2
struct LossDistribution {
  Side side = Side::upper;
  Grid grid{};
  std::int64_t first = 0;
  std::vector<double> mass;
  double at_infinity = 0;
  double slack = 0;

  /// The loss at `mass[i]`, slack aside.
  double loss(std::size_t i) const {
    return grid.offset + static_cast<double>(first + static_cast<std::int64_t>(i)) * grid.mesh;
  }
  /// What bounds the magnitude of every term of a loss, for its rounding.
  double reach() const {
    const double last = static_cast<double>(first) + static_cast<double>(mass.size());
    return std::abs(grid.offset) + std::max(std::abs(static_cast<double>(first)), std::abs(last)) * grid.mesh;
  }
  /// The loss at `mass[i]` on the distribution's side, slack included.
  double safe_loss(std::size_t i) const { return loss(i) + (side == Side::upper ? slack : -slack); }
};

}  // namespace dpbudget::loss_distribution
