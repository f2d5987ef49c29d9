/// @file
/// Losses of a composition's releases up to a threshold, where larger ones are rare.
#pragma once

#include <vector>

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/moments.h"

namespace dpbudget::loss_distribution {

/// At least the mass of losses above `threshold`, infinite ones included, of all releases together.
double mass_above(const std::vector<Part>& parts, double threshold);

/// At least what e^-loss has below minus `threshold`, of all releases together.
double mean_below(const std::vector<Part>& parts, double threshold);

/// Least and greatest logarithm of a moment, errors included.
struct LogRange {
  double least;
  double greatest;
};

/// Those that `mass_above` does not count. What is below minus the threshold is as rare: on the upper side it is taken
/// up to it, and left out on the lower one.
class SmallLosses {
 public:
  /// @param threshold  positive
  SmallLosses(const std::vector<Part>& parts, double threshold);

  /// Log moments of the sum of all; and of all but one, whichever it is. NaN where a release has no small losses.
  LogRange of_all(double order) const { return ranges(order).all; }
  LogRange of_others(double order) const { return ranges(order).others; }

  /// The greatest of them.
  double greatest() const { return greatest_; }

 private:
  struct Ranges {
    LogRange all;
    LogRange others;
  };
  Ranges ranges(double order) const;

  std::vector<LossDistribution> distributions_;
  std::vector<double> counts_;
  double greatest_;
};

}  // namespace dpbudget::loss_distribution
