/// @file
/// What releases of a plan show of one record, drawn.
#pragma once

#include <functional>

#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// Outputs of a pair of neighbouring data sets that a plan allows, as what they say of the record that differs.
struct Law {
  /// Draws an output with the record, or without it (with its other value), and returns the logarithm of by how much
  /// likelier it is with it; infinite where it cannot be otherwise.
  std::function<double(bool is_in, mechanisms::Stream&)> draw;
  /// How many numbers a draw takes, about.
  double cost = 1;
};

/// Of which pair each event's law is: fl/audit/proofs.md, 2.1 to 2.4.
/// @throws Unsupported naming the event whose law is not drawn, or not under the plan's adjacency
Law law_of(const Plan& plan);

}  // namespace dpbudget::fl
