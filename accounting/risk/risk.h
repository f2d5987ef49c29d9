/// @file
/// What an attacker who sees the output can find out about one record: the trade-off function of the worst neighbours,
/// from both sides.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::risk {

/// Answers for a plan. Upper ends hold for every attacker and all neighbours
/// as far as the accountant's guarantee says; lower ends are proven, and reached by an attacker on some neighbours.
/// Proofs: accounting/risk/proofs.md. The source of the trade-off function: Dong, Roth, Su 2019, Proposition 2.12.
///
/// All functions throw Unsupported where the accountant refuses, and as the accountant does.
class Attacker {
 public:
  /// @param tolerance  relative width that brackets are refined to, in (0, 1)
  Attacker(const Plan& plan, AccountantName name, double tolerance = default_tolerance);

  /// The largest difference of true- and false-positive rate of a test for membership: delta at epsilon 0.
  /// @source accounting/risk/proofs.md, 1.2
  numeric::Bracket advantage();

  /// The largest true-positive rate of a test for membership whose false-positive rate is `false_positive_rate`.
  /// @param false_positive_rate  in (0, 1)
  /// @throws InvalidArgument when it is not
  numeric::Bracket true_positive_rate(double false_positive_rate);

  /// The upper end of that alone, which takes a third of the questions.
  struct Most {
    double rate;
    double log_slope;  ///< of the lowest line: the end is that of epsilon |log_slope| and delta there
  };
  Most most_true_positive_rate(double false_positive_rate);

  /// That rate at each of those, by lines at fixed distances in the place of a search for each: what a plot shows.
  /// @param false_positive_rates  in (0, 1), not empty
  /// @throws InvalidArgument as above
  std::vector<numeric::Bracket> true_positive_rates(std::span<const double> false_positive_rates);

  /// An accountant's answer that the upper ends rest on, for its guarantee, theorems and notes: at slope 1, or for the
  /// line whose slope has that logarithm.
  const Bound& reason(double log_slope = 0);

 private:
  const DeltaBound& delta(double epsilon);
  double horizon(double negligible, double most);
  double lowest_line(double false_positive_rate, double side, double negligible, double most);
  double lowest_above(double false_positive_rate) const;

  std::unique_ptr<Accountant> accountant_;
  std::map<double, DeltaBound> deltas_;  // by epsilon
};

/// The probability that a positive of a test is right.
/// @param prior                probability of membership before, in (0, 1)
/// @param false_positive_rate  of the test, in (0, 1)
/// @param true_positive_rate   both ends in [0, 1]
/// @throws InvalidArgument for a prior or false-positive rate out of range
numeric::Bracket posterior(double prior, double false_positive_rate, const numeric::Bracket& true_positive_rate);

}  // namespace dpbudget::risk
