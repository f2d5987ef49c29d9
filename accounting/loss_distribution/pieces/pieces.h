/// @file
/// A privacy-loss distribution cut into pieces small enough to be put on a grid.
///
/// For a pair of output distributions P (with the record) and Q (without it, or with its replacement) the privacy loss
/// of an outcome is log(dP/dQ). Every mechanism of this folder hands over its losses as pieces; discretise.h makes of
/// them a distribution on a grid that dominates the true one, and another that it dominates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dpbudget::loss_distribution {

/// The outcomes whose losses lie in [low, high]; low == high for an atom.
struct Piece {
  double low;
  double high;
  double p;           ///< their mass under P
  double q;           ///< their mass under Q
  double barycentre;  ///< log(p / q), inside [low, high]; right even where p or q underflows
};

/// Whether all of it has one loss.
inline bool is_atom(const Piece& piece) { return piece.low == piece.high; }

/// What a piece may be wrong by, for all pieces of a distribution.
struct PieceErrors {
  double mass = 0;        ///< relative error of p and of q, unless they are below least_mass
  double infinity = 0;    ///< relative error of the masses at infinity
  double barycentre = 0;  ///< absolute error of the barycentre
  double loss = 0;        ///< how far outcomes' losses may lie outside [low, high]
};

/// Masses below this may have lost their relative accuracy; they are at most this.
inline constexpr double least_mass = 1e-290;

/// A distribution as pieces, with what they leave out.
struct Pieces {
  std::vector<Piece> pieces;  ///< in increasing order of loss, not overlapping
  PieceErrors errors;
  /// Upper bound on what P has on finite losses above the last piece or between pieces, beyond e^low times what Q has
  /// there, low a loss that the first piece reaches: to the pair that dominates, that is at infinity and the rest at
  /// the lowest loss.
  double p_above = 0;
  /// The same of Q below the first piece or between pieces, with P, and a loss that the last piece reaches.
  double q_below = 0;
  double p_at_infinity = 0;  ///< mass of P where Q has none, up to errors.infinity
  double q_at_infinity = 0;  ///< mass of Q where P has none, up to errors.infinity
  double of_components = 0;  ///< how many pieces were put together to these, where several components were
  double work = 0;           ///< what it took to find them beyond their number, in pieces
};

/// Two atoms anywhere: a grid through both, if its mesh divides their distance.
inline bool is_two_atoms(const Pieces& pieces) {
  return pieces.pieces.size() == 2 && is_atom(pieces.pieces[0]) && is_atom(pieces.pieces[1]);
}

/// Outcomes that tell nothing: one loss, 0.
inline Pieces one_atom() { return {.pieces = {{0, 0, 1, 1, 0}}, .errors = {}}; }

/// What composing finite releases may cost.
struct FiniteLimits {
  std::size_t outcomes;  ///< that the composition may have
  double work;           ///< sums of two losses that may be formed on the way
  double rare = 0;       ///< mass of outcomes that may be left out where they have it under P and under Q
  double width = 0;      ///< of losses that each sum may take for one, from below, besides those that are equal
  friend bool operator==(const FiniteLimits&, const FiniteLimits&) = default;
};

/// Of compositions that are made anew for each mesh, direction and side.
inline constexpr FiniteLimits limits_of_part{.outcomes = 1024, .work = 0x1p20};

/// How finely and how far to cut.
struct Cut {
  double step;  ///< pieces of a continuous distribution end at multiples of `step`, positive
  double tail;  ///< what may be left out above (of P) and below (of Q), positive; the range follows from it
  FiniteLimits limits = limits_of_part;  ///< of finite releases that are composed inside of it
  friend bool operator==(const Cut&, const Cut&) = default;
};

/// The same outcomes with the roles of P and Q exchanged.
inline Pieces reversed(Pieces pieces) {
  std::ranges::reverse(pieces.pieces);
  for (Piece& piece : pieces.pieces) piece = {-piece.high, -piece.low, piece.q, piece.p, -piece.barycentre};
  std::swap(pieces.p_above, pieces.q_below);
  std::swap(pieces.p_at_infinity, pieces.q_at_infinity);
  return pieces;
}

}  // namespace dpbudget::loss_distribution
