/// @file
/// What an attacker who sees the output can find out about one record: the trade-off function of the worst neighbours,
/// from both sides.
#pragma once

#include <map>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/numeric/bracket.h"

namespace dpbudget::risk {

/// Answers for an accountant's plan. Upper ends hold for every attacker and all neighbours
/// as far as the accountant's guarantee says; lower ends are proven, and reached by an attacker on some neighbours.
/// Proofs: accounting/risk/proofs.md. The source of the trade-off function: Dong, Roth, Su 2019, Proposition 2.12.
///
/// All functions throw Unsupported where the accountant refuses, and as the accountant does.
class Attacker {
 public:
  /// @param accountant  of the plan; it must outlive this
  explicit Attacker(Accountant& accountant) : accountant_(accountant) {}

  /// The largest difference of true- and false-positive rate of a test for membership: delta at epsilon 0.
  /// @source accounting/risk/proofs.md, 1.2
  numeric::Bracket advantage();

  /// The largest true-positive rate of a test for membership whose false-positive rate is `false_positive_rate`.
  /// @param false_positive_rate  in (0, 1)
  /// @throws InvalidArgument when it is not
  numeric::Bracket true_positive_rate(double false_positive_rate);

  /// An accountant's answer that the upper ends rest on, for its guarantee, theorems and notes.
  const Bound& reason();

 private:
  const DeltaBound& delta(double epsilon);
  double lowest_line(double false_positive_rate, double side, double most);

  Accountant& accountant_;
  std::map<double, DeltaBound> deltas_;  // by epsilon
};

/// The probability that a positive of a test is right.
/// @param prior                probability of membership before, in (0, 1)
/// @param false_positive_rate  of the test, in (0, 1)
/// @param true_positive_rate   both ends in [0, 1]
/// @throws InvalidArgument for a prior or false-positive rate out of range
numeric::Bracket posterior(double prior, double false_positive_rate, const numeric::Bracket& true_positive_rate);

}  // namespace dpbudget::risk
