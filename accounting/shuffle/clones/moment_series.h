/// @file
/// The moments of a clone pair for all orders, from those of its mean of signs.
#pragma once

#include <optional>
#include <vector>

#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/shuffle/clones/clones.h"

namespace dpbudget::shuffle {

/// Upper bounds on log E[(P/Q)^order - 1 - order (P/Q - 1)] under Q, over the number of clones too, where they are
/// close: the power's Taylor series in X has positive coefficients, and the even moments of X, which no order changes,
/// are not much below their bounds (accounting/shuffle/proofs.md, 5.4 and 5.5). That is some hundred products an order.
class MomentSeries {
 public:
  explicit MomentSeries(const ClonePair& pair);

  /// Without the pair's `log_share`. Nothing where the bound may exceed the truth by more than some thousandths of
  /// log(1 + moment): where the order is so large, or so few reports hide the one that changed, that X is not much like
  /// a normal variable.
  /// @param order  in (1, inf)
  std::optional<double> log_excess(double order);

 private:
  // A block of numbers of reports, by its least, m.
  struct Term {
    numeric::Extended value;     // its mass times what E[X^(2 power)] is at most, as `Moment::relative`
    numeric::Extended ratio;     // `typical_` / m
    numeric::Extended gain;      // 2 / (3 m) ((m - 1) / m)^(2 power - 2)
    numeric::Extended dropping;  // ((m - 1) / m)^2
  };
  // E[X^(2 power)] at most: over that of a normal variable of variance 1 / typical_, and by itself.
  struct Moment {
    numeric::Extended relative;
    double log_value;
  };

  const Moment& moment(double power);

  double local_epsilon_;
  double typical_;  // number of reports
  std::vector<Term> terms_;
  std::vector<UpperMasses::Stretch> numbers_;  // of clones: those of the terms, in wider blocks
  std::vector<UpperMasses::Stretch> fewer_;    // than those of any term
  double error_;                               // of masses, relative
  double share_of_block_;                      // by how much the largest m of a block is above its least, relatively
  double log_normal_ = 0;                      // of (2 power - 1)!! / typical_^power at the last power
  std::vector<Moment> moments_;
};

}  // namespace dpbudget::shuffle
