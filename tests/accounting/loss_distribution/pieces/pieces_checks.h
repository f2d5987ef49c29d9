/// @file
/// What must hold of the pieces of every mechanism.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::testing {

/// delta of the pieces themselves.
inline double delta_of(const loss_distribution::Pieces& given, double epsilon) {
  double delta = given.p_at_infinity;
  for (const loss_distribution::Piece& piece : given.pieces)
    delta += std::max(0.0, piece.p - std::exp(epsilon) * piece.q);
  return delta;
}

/// Pieces in order, with their barycentres inside, and masses that add up to 1, each within the errors they declare.
/// @param at_lowest  mass of outcomes left out that may count at the lowest loss
inline void expect_well_formed(const loss_distribution::Pieces& given, double at_lowest = 0) {
  long double p = given.p_at_infinity;
  long double q = given.q_at_infinity;
  double end = -INFINITY;
  for (const loss_distribution::Piece& piece : given.pieces) {
    EXPECT_LE(end, piece.low);
    EXPECT_LE(piece.low, piece.high);
    EXPECT_TRUE(piece.low <= piece.barycentre && piece.barycentre <= piece.high);
    if (piece.p >= loss_distribution::least_mass && piece.q >= loss_distribution::least_mass) {
      EXPECT_NEAR(std::log(piece.p / piece.q), piece.barycentre,
                  given.errors.barycentre + 3 * given.errors.mass + given.errors.loss)
          << piece.low << " to " << piece.high;
    }
    p += piece.p;
    q += piece.q;
    end = piece.high;
  }
  // Left out below, P has less than Q; above, Q has less than P.
  const double missing = given.p_above + given.q_below + at_lowest;
  const double rounding = given.errors.mass + 1e-18;
  EXPECT_LE(p, 1 + rounding);
  EXPECT_GE(p, 1 - missing - rounding);
  EXPECT_LE(q, 1 + rounding);
  EXPECT_GE(q, 1 - missing - rounding);
}

/// The pieces' delta at the ends of every `stride`-th piece against the mechanism's, `log_delta`. At the ends of pieces
/// a sum over pieces is exact.
inline void expect_profile(const loss_distribution::Pieces& given, std::size_t stride,
                           const std::function<double(double)>& log_delta) {
  long double p = given.p_at_infinity;
  long double q = 0;
  for (std::size_t i = given.pieces.size(); i-- > 0;) {
    const loss_distribution::Piece& piece = given.pieces[i];
    p += piece.p;
    q += piece.q;
    if (i % stride != 0 || std::abs(piece.low) > 600) continue;
    const auto scaled_q = static_cast<double>(q * std::exp(static_cast<long double>(piece.low)));
    const double truth = std::exp(log_delta(piece.low));
    const double tolerance = (given.errors.mass + 1e-15) * (static_cast<double>(p) + scaled_q) +
                             given.errors.loss * scaled_q + given.p_above + 1e-12 * truth +
                             1e-280 * (1 + std::exp(piece.low));
    EXPECT_NEAR(static_cast<double>(p) - scaled_q, truth, tolerance) << "epsilon " << piece.low;
  }
}

/// Runs both, on the reverse too.
inline void expect_mechanism(const loss_distribution::Pieces& given, std::size_t stride,
                             const std::function<double(double)>& log_delta,
                             const std::function<double(double)>& reverse_log_delta, double at_lowest = 0) {
  expect_well_formed(given, at_lowest);
  expect_profile(given, stride, log_delta);
  const loss_distribution::Pieces back = reversed(given);
  expect_well_formed(back, at_lowest);
  expect_profile(back, stride, reverse_log_delta);
}

/// No more left out on either side than the cut allows.
inline void expect_little_left_out(const loss_distribution::Pieces& given, const loss_distribution::Cut& cut) {
  EXPECT_LE(given.p_above, cut.tail);
  EXPECT_LE(given.q_below, cut.tail);
}

}  // namespace dpbudget::testing
