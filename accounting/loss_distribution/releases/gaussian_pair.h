/// @file
/// The two normal laws behind every Gaussian mechanism, cut into cells.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// P = N(m, 1) and Q = N(-m, 1) of the noise variable t, m = 1 / (2 s) for the noise multiplier s. The privacy loss of
/// t is t / s.
class GaussianPair {
 public:
  /// @param noise_multiplier  in (0, inf)
  explicit GaussianPair(double noise_multiplier);

  struct Cell {
    double p;
    double q;
    double log_ratio;  ///< log(p / q), also where p or q underflows
  };

  /// The masses of [from, to], from < to; either end may be infinite. The ends are taken exactly.
  Cell cell(double from, double to) const;

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

/// Calls `visit(low, high, cell)` for the cells between multiples first * step, ..., last * step of the mechanism's
/// loss, in increasing order. `noise_of` maps a loss to t, increasing.
template <class NoiseOf, class Visit>
void each_cell(const GaussianPair& pair, double step, std::int64_t first, std::int64_t last, NoiseOf&& noise_of,
               Visit&& visit) {
  double low = static_cast<double>(first) * step;
  double from = noise_of(low);
  for (std::int64_t j = first + 1; j <= last; ++j) {
    const double high = static_cast<double>(j) * step;
    const double to = noise_of(high);
    if (from < to) visit(low, high, pair.cell(from, to));
    low = high;
    from = to;
  }
}

/// What pieces of (1 - rate) Q + rate P against Q may be wrong by that are cells from `start` to `end` of the noise
/// variable, their ends multiples of a step mapped there by `profile::unmixed_loss`.
/// @param start     may be -infinity
/// @param farthest  of the pieces' ends from a loss of 0
PieceErrors mixed_cell_errors(const GaussianPair& pair, double rate, double start, double end, double farthest);

/// The piece of (1 - rate) Q + rate P against Q with its losses in [low, high] that `cell` is one of P against Q.
Piece mixed_piece(double rate, double low, double high, const GaussianPair::Cell& cell);

}  // namespace dpbudget::loss_distribution
