/// @file
/// The law of one report's share in a privacy blanket bound, as finitely many values on either side of the truth.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/shuffle/blanket/randomizer.h"

namespace dpbudget::shuffle {

/// Which side of the truth a value is on, rounding included.
enum class Side { lower, upper };

/// A value L = R_x / b - e^epsilon R_x' / b and its mass under b.
struct Value {
  double value;
  double mass;
};

/// L with probability b, and 0 with probability `rest`. Sums of independent copies have, on the upper side, at least
/// the true E[(sum)_+], and at most that on the lower side, when masses are raised or lowered by `relative_error`.
struct BlanketLaw {
  std::vector<Value> values;
  double rest;
  double excess;          ///< rest + masses - 1
  double relative_error;  ///< of each mass and of `rest`
};

/// Where cells are cut: so that what a cell adds to `reports` log E[e^(order L)] on the upper side is below
/// `greatest_gain`.
struct Cutting {
  double reports;
  double order;
  double log_moment;  ///< at that order, about
  double greatest_gain;
};

/// The cells of a pair, stretches cut into a few equal ones.
std::vector<Cell> coarse_cells(const BlanketPair& pair);

/// The cells of a pair, stretches cut as finely as `cutting` asks.
/// @param epsilon  finite, at least 0
std::vector<Cell> fine_cells(const BlanketPair& pair, double epsilon, const Cutting& cutting);

/// Upper: a cell's mass is split onto the values at its two ends so that its mean is kept, which is larger in the
/// convex order. Lower: it is put at the mean, which is smaller (accounting/shuffle/blanket/proofs.md, 4.1).
/// @param epsilon  finite, at least 0
BlanketLaw law_of(const BlanketPair& pair, const std::vector<Cell>& cells, double epsilon, Side side);

}  // namespace dpbudget::shuffle
