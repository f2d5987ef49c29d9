/// @file
/// The two normal laws behind every Gaussian mechanism, cut into cells.
#pragma once

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/loss_distribution/releases/normal_cell.h"

namespace dpbudget::loss_distribution {

/// P = N(m, 1) and Q = N(-m, 1) of the noise variable t, m = 1 / (2 s) for the noise multiplier s. The privacy loss of
/// t is t / s.
class GaussianPair {
 public:
  /// @param noise_multiplier  in (0, inf)
  explicit GaussianPair(double noise_multiplier);

  /// The masses of [from, to], from < to; either end may be infinite. The ends are taken exactly.
  NormalCell cell(double from, double to) const { return normal_cell(from, to, mean_, -mean_); }

  double mean() const { return mean_; }

  /// The masses above t, rounded up, and a point t above which that of P is at most `tail`.
  double p_above(double t) const;
  double q_above(double t) const;
  double tail_point(double tail) const;

  /// What `cell` may be wrong by for cells within [-farthest, farthest], but for infinite ends, with losses up to
  /// `loss`; and how far the loss at an end may be off that was computed as loss * noise_multiplier.
  PieceErrors errors(double farthest, double loss) const;

 private:
  double mean_;
};

/// What pieces of (1 - rate) Q + rate P against Q may be wrong by that are cells from `start` to `end` of the noise
/// variable, their ends multiples of a step mapped there by `profile::unmixed_loss`.
/// @param start     may be -infinity
/// @param farthest  of the pieces' ends from a loss of 0
PieceErrors mixed_cell_errors(const GaussianPair& pair, double rate, double start, double end, double farthest);

/// The piece of (1 - rate) Q + rate P against Q with its losses in [low, high] that `cell` is one of P against Q.
Piece mixed_piece(double rate, double low, double high, const NormalCell& cell);

}  // namespace dpbudget::loss_distribution
