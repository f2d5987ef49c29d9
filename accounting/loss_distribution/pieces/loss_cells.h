/// @file
/// A loss distribution gathered outcome by outcome.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// Outcomes by their losses, in cells between multiples of a step or, when they are few, as they are.
class LossCells {
 public:
  /// @param largest  no loss exceeds it; in (0, inf)
  /// @param tails    an upper bound on the mass, of P and of Q, with |loss| > x: at most cut.tail of it is left out
  /// @throws Unsupported when 2^24 cells do not suffice
  LossCells(double largest, const Cut& cut, const std::function<double(double)>& tails);

  /// Keeps every outcome: `add` is called for a few of them only.
  static LossCells of_outcomes() { return {}; }

  /// Losses beyond this are left out.
  double end() const { return end_; }

  /// @param p, q  the outcome's masses, both positive
  /// @throws Unsupported unless `loss` is finite
  void add(double loss, double p, double q);

  /// What is too rare to be followed any further, of at most so many outcomes.
  void leave_out(double outcomes) { outside_ += outcomes * least_mass; }

  /// @param relative_error  of all masses, but for what p and q of an outcome have in common
  Pieces pieces(double relative_error) const;

 private:
  LossCells() = default;
  Pieces gathered() const;
  Pieces in_cells() const;

  struct Masses {
    double p = 0;
    double q = 0;
  };
  struct Outcome {
    double loss;
    Masses masses;
  };
  double step_ = 0;  // 0: outcomes as they are
  double reach_ = 0;
  double end_ = std::numeric_limits<double>::infinity();
  double outside_ = 0;
  std::vector<Masses> cells_;
  std::vector<Outcome> outcomes_;
};

}  // namespace dpbudget::loss_distribution
