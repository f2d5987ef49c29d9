/// @file
/// The composition of equal binary randomised responses.
#pragma once

#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/numeric/tail_sum.h"

namespace dpbudget::approximate {

/// s of optimal_composition.h, as a function of total_epsilon >= 0. Errors as in tail_sum.h.
class Responses {
 public:
  /// @param epsilon  in (0, inf)
  /// @param count    an integer in [1, 2^53]
  Responses(double epsilon, double count);

  /// log s.
  double log_delta(double total_epsilon) const;
  /// log(1 - s), without cancellation.
  double log_complement(double total_epsilon) const;
  numeric::Bracket log_delta_bracket(double total_epsilon) const;
  /// log s at the loss that is `index` steps below the largest, whatever that is as a double.
  double log_delta_at(double index) const;

  /// The loss when j responses are true.
  double loss(double j) const { return (2 * j - count_) * epsilon_; }
  /// log of the probability of the largest loss.
  double log_mass_at_top() const;
  double mean_loss() const;
  double loss_deviation() const;

 private:
  double below(double total_epsilon, double j) const;
  double first_above(double total_epsilon) const;
  numeric::TailWeight weight(double total_epsilon, double first) const;

  double epsilon_;
  double count_;
  numeric::Binomial binomial_;
};

}  // namespace dpbudget::approximate
