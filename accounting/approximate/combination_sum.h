/// @file
/// The sum over all combinations of outcomes that the composition of different mechanisms comes down to.
#pragma once

#include <span>
#include <vector>

#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::approximate {

/// The composition of binary randomised responses of different epsilon.
class Combinations {
 public:
  /// @param epsilons  each in [0, inf)
  explicit Combinations(std::span<const double> epsilons);

  /// How many terms the sum has; infinity where a double cannot hold it.
  double number() const;

  /// log of the sum over all combinations of P (1 - e^(total_epsilon - loss))_+.
  double log_delta(double total_epsilon) const;

  /// The same between two proven bounds (accounting/approximate/proofs.md, 2.1 and 2.2).
  numeric::Bracket log_delta_bracket(double total_epsilon) const;

  double largest_loss() const;
  /// log of the probability of the largest loss.
  double log_mass_at_top() const;
  /// The next loss below the largest.
  double second_loss() const;

 private:
  // Mechanisms of one epsilon: how many, and log P of j of them giving the loss +epsilon.
  struct Group {
    double epsilon;
    double count;
    std::vector<double> log_mass;
  };
  class Sum;

  std::vector<Group> groups_;    // by falling epsilon
  std::vector<double> reach_{};  // the largest loss of this group and those after it
};

}  // namespace dpbudget::approximate
