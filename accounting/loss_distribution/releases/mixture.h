/// @file
/// The losses of a release that is one of several, where one sees which.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"

namespace dpbudget::loss_distribution {

/// What dominates the pair (sum w_i P_i, sum w_i Q_i) on outcomes that tell i, the w_i being the probabilities, put
/// together one component after the other. Pieces that overlap become one. Where probabilities add up to less than 1
/// the caller knows where the rest is.
/// @source accounting/plan/proofs.md, 2.1; accounting/loss_distribution/proofs.md, 4f.1
class Mixture {
 public:
  /// @param error  relative, of the probabilities
  explicit Mixture(double error) : error_(error) {}

  /// @param pieces  at least one
  void add(double probability, const Pieces& pieces);

  /// Of what was added, at least one component.
  Pieces pieces() &&;

 private:
  // One that was put together from so many.
  struct Joined {
    Piece piece;
    std::uint32_t number;
  };

  void take(const Joined& next);

  double error_;
  Pieces rest_;  // of the result, without its pieces
  std::vector<Joined> all_;
  std::vector<Joined> joined_;  // that `all_` is to be, while a component is added
  double components_ = 0;
  double widest_ = 0;       // of those that were put together
  double farthest_ = 0;     // of their barycentres from 0
  std::uint32_t most_ = 1;  // that were put together
};

}  // namespace dpbudget::loss_distribution
