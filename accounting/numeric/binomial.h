/// @file
/// The binomial distribution in logarithms, for any count and however unlikely the outcome.
#pragma once

#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::numeric {

/// A number and by how much it may be off.
struct Approximation {
  double value;
  double error;
};

/// The number of successes among `count` independent trials.
class Binomial {
 public:
  /// Trials that succeed with odds e^log_odds : 1.
  /// @param count     an integer in [1, 2^53]
  /// @param log_odds  in [0, inf)
  static Binomial of_odds(double count, double log_odds);

  /// Trials that succeed with probability 1 / population.
  /// @param population  an integer in [1, 2^53]
  static Binomial of_one_in(double count, double population);

  /// Trials that succeed with that probability.
  /// @param probability  in (0, 1]
  static Binomial of_rate(double count, double probability);

  /// The number of failures.
  Binomial reversed() const;

  double count() const { return count_; }
  double mean() const { return successes_.high; }
  double deviation() const;
  /// An integer within 1 of the most likely number of successes.
  double mode() const;
  /// The odds of success; infinite where a double cannot hold them.
  double odds() const { return odds_; }

  /// log of the probability of `successes` + `offset` successes, by the formula's continuation where that is no
  /// integer. The offset is apart so that it is not rounded away beside a large number.
  /// @param successes  an integer in [0, count]
  /// @return absolute error below `log_mass_error`
  /// @source Loader 2000, "Fast and accurate computation of binomial probabilities"
  double log_mass(double successes, double offset = 0) const;

  /// By what a `log_mass` of this value may be off, rounding included (accounting/numeric/proofs.md, 3.2).
  double log_mass_error(double log_mass) const;

  /// log of P(successes + shift) / P(successes), its error relative to what adds up to it: it keeps its digits where
  /// the ratio is near 1 (accounting/numeric/proofs.md, 3.3).
  /// @param successes  an integer in [0, count]
  /// @param shift      an integer, at least 0
  /// @return -infinity where successes + shift is beyond the count
  Approximation log_ratio(double successes, double shift) const;

 private:
  // The expected number of one outcome: high + low, off by a relative 2^-62.
  struct Expected {
    double high;
    double low;
    double log_probability;
  };
  Binomial(double count, Expected successes, Expected failures, double odds)
      : count_(count), successes_(successes), failures_(failures), odds_(odds) {}
  static Expected expected(Extended value, double log_probability);
  double log_of_share(double outcome, const Expected& expected) const;
  double deviance(double outcome, const Expected& expected, double difference) const;

  double count_;
  Expected successes_;
  Expected failures_;
  double odds_;
};

}  // namespace dpbudget::numeric
