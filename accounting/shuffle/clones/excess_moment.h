/// @file
/// The moments of a clone pair given how many reports there are to hide among.
#pragma once

#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/shuffle/clones/clone_count.h"

namespace dpbudget::shuffle {

/// log E[(P/Q)^order - 1 - order (P/Q - 1)] under Q = (1 - tau X) mu_m, P = (1 + tau X) mu_m, tau = tanh(epsilon_0 / 2)
/// and X the mean of m fair signs: the divergence's moment less 1. Its terms are positive, and it is the mean of a
/// convex function of X, so that it does not increase in m (accounting/shuffle/proofs.md, 5.1).
class ExcessMoment {
 public:
  /// @param local_epsilon  epsilon_0, in (0, 708]
  /// @param order          in (1, inf)
  ExcessMoment(double local_epsilon, double order);

  /// Between two proven bounds.
  /// @param m         an integer in [1, 2^53]
  /// @param accuracy  by what share log(1 + moment) may differ between them; rounding aside
  numeric::Bracket operator()(double m, double accuracy) const;

  /// The value by equally distant outcomes where there are many: as good as every one.
  double reference(double m) const;

 private:
  class Outcomes;

  // Where b of m signs are positive: Q / mu_m, P/Q - 1, and log(P/Q).
  struct Outcome {
    double q;
    double excess;
    double log_ratio;
  };
  Outcome outcome(double m, double b) const;
  // q times what the power exceeds its linear approximation by; of any size in logarithms.
  double term(double m, double b) const;
  double log_term(double m, double b) const;
  bool fits_a_double() const;

  double order_;
  double local_epsilon_;
  double tau_;
  double one_less_tau_;  // which cancels
};

}  // namespace dpbudget::shuffle
