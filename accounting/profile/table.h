/// @file
/// The privacy profile that a table of (epsilon, delta) guarantees allows at most, and the pair that has it.
///
/// With g = e^epsilon the profile of a pair is convex in g, and it is symmetric: that of the opposite pair is the same.
#pragma once

#include <vector>

#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/plan/table.h"

namespace dpbudget::profile {

/// The profile of a table of epsilons and deltas.
class TableProfile {
 public:
  /// @param points  as ranges::points has them
  /// @source accounting/profile/proofs.md, 1.1
  explicit TableProfile(const Table& points);

  /// A loss of at least 0 with P's and Q's mass there; above 0 the opposite loss has them exchanged.
  struct Atom {
    double loss;
    double p;
    double q;
  };
  /// In increasing order of loss; relative error of masses below 1e-11.
  std::vector<Atom> atoms() const;

  /// Mass of P where Q has none: the least delta of the table.
  double at_infinity() const { return hull_.back().delta; }

  /// The least epsilon of at least 0 at which delta is at most `delta`, rounded up; infinity where there is none.
  /// @param delta  in [0, 1)
  double epsilon(double delta) const;

 private:
  struct Vertex {
    double epsilon;
    double delta;
    numeric::Extended g;
    numeric::Extended slope;  // of what leads here, negative
  };
  void push(Vertex next);

  std::vector<Vertex> hull_;  // of g in [1, inf), in increasing order
};

}  // namespace dpbudget::profile
