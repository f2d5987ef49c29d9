/// @file
/// Binomial noise: its probabilities, and how they change when it is shifted.
#pragma once

#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::shuffle {

/// The number of successes among `trials` coins.
class BinomialNoise {
 public:
  /// @param trials       an integer in [1, 2^53]
  /// @param probability  in (0, 1)
  /// @throws InvalidArgument naming the argument outside its range
  BinomialNoise(double trials, double probability);

  /// The number of failures.
  BinomialNoise reversed() const;

  const numeric::Binomial& law() const { return law_; }
  double trials() const { return law_.count(); }
  double variance() const;

  /// log of P(i + offset + shift) / P(i + offset), decreasing in i; -infinity where i + offset + shift is beyond the
  /// trials. It keeps its digits where the ratio is near 1.
  /// @param i       an integer in [0, trials]; the offset is apart so that it is not rounded away beside it
  /// @param shift   an integer, at least 0
  /// @return absolute error below 1e-14 times `shift` times the largest log P(u + 1) / P(u) on the way; but for shifts
  ///         above `few_steps` near the ends, where P changes by a factor on the way, below 1e-13
  double log_ratio(double i, double offset, double shift) const;

  /// Up to this shift log_ratio is a plain sum, of relative error below 2^-43 of `shift` times its largest term.
  static constexpr double few_steps = 8;

  /// By what log(probability / (1 - probability)) is off: a log ratio by this for each unit of shift.
  double log_odds_error() const;

  /// By what the law's log P(i) may be off for the exact `probability`.
  double log_mass_error(double i, double log_mass) const;
  /// P(i) rounded down and up.
  double mass_lower(double i) const;
  double mass_upper(double i) const;
  /// A bound on P(X >= i), close to it beyond the mode: P(i) / (1 - P(i+1) / P(i)), since the ratios fall.
  double tail_upper(double i) const;
  /// An i beyond the mode with tail_upper(i) <= tail, the least but for rounding; trials where there is none.
  double tail_point(double tail) const;

 private:
  // The probability and the expected number of one side of a coin, as the law has them, so that masses and their ratios
  // belong to one probability.
  struct Outcome {
    numeric::Extended probability;
    numeric::Extended expected;
  };
  BinomialNoise(numeric::Binomial law, Outcome success, Outcome failure, double log_odds)
      : law_(law), success_(success), failure_(failure), log_odds_(log_odds) {}
  static BinomialNoise of_odds(double trials, double log_odds);
  double log_step(numeric::Extended u, numeric::Extended rest) const;
  double log_steps_integrated(numeric::Extended first, numeric::Extended rest, double shift) const;

  numeric::Binomial law_;
  Outcome success_;
  Outcome failure_;
  double log_odds_;
};

}  // namespace dpbudget::shuffle
