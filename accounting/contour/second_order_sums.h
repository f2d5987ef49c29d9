/// @file
/// Sums of weight (e^{isx} - 1 - isx), which transforms of rare losses are made of, from one s to the next.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "dpbudget/accounting/contour/waves.h"

namespace dpbudget::contour {

/// The sums at rising multiples of a step, of which the first is the step. Terms of large angles are turned from one to
/// the next.
/// accounting/contour/proofs.md, 3.3
class SecondOrderSums {
 public:
  /// The sum at one s.
  struct Sum {
    std::complex<double> value;
    double error;  ///< of what is turned and of sums, beside a few units of each term
  };

  /// @param weights  at least 0
  /// @param x        as many, in increasing order
  SecondOrderSums(std::vector<double> weights, std::vector<double> x);

  Sum at(double s);
  /// Turns::at_stride.
  double at_stride(double s, double until) const { return turns_.at_stride(s, until); }

 private:
  // The weights' and the moments' sums up to a place, or from it on.
  struct Sums {
    std::vector<double> mass;
    std::vector<double> moment;
  };
  struct Ends {
    std::size_t low;   // of the terms with large angles below 0
    std::size_t high;  // from where on they are above it
  };

  std::complex<double> aimed(double s);

  std::vector<double> weights_;
  std::vector<double> x_;
  Sums below_;
  Sums above_;
  Turns turns_;
  Waves waves_;  // weighted, of the terms that are not between these
  Ends turned_;
};

}  // namespace dpbudget::contour
