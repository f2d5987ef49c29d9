/// @file
/// The most that adaptive rounds on batches of fixed size can tell, as a loss distribution.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "dpbudget/accounting/loss_distribution/releases/batch_kernels.h"
#include "dpbudget/accounting/numeric/fourier.h"

namespace dpbudget::loss_distribution {

/// Of so many rounds together: mass of P at the losses (i - reach) mesh, rounded up.
struct BatchLosses {
  double mesh;
  std::vector<double> mass;  ///< 2 reach + 1 of them
  double at_infinity;
};

/// Where the losses of rounds are.
struct BatchGrid {
  double mesh;
  std::size_t reach;        ///< in meshes, of what all rounds tell together
  std::size_t round_reach;  ///< likewise, of one
  double order;             ///< of the tilt under which rounds are added
  friend bool operator==(const BatchGrid&, const BatchGrid&) = default;
};

/// A game of rounds: in each, an adversary who knows the loss so far chooses what the round's batch is like. Its value
/// bounds what any rounds tell of a record, also adaptive ones.
/// @source accounting/loss_distribution/proofs.md, 4k.8 and 4k.9
class BatchGame {
 public:
  /// @param rate     q, in (0, 1)
  /// @param kernels  that have the same q
  BatchGame(double rate, const BatchKernels& kernels, const BatchGrid& grid);

  /// Of that many rounds, at least one. What was played is kept.
  BatchLosses losses(std::size_t rounds);

 private:
  void play();
  std::vector<double> changes(const std::vector<double>& values) const;

  BatchGrid grid_;
  double rise_;  // of the ratio from one point to the next, relatively
  numeric::Fourier fourier_;
  std::vector<numeric::Spectrum> kernels_;
  double most_of_kernel_ = 0;
  double left_out_ = 0;                      // of each round, at most, for a rise of the slope by 1
  std::vector<std::vector<double>> values_;  // after so many rounds, at the ratios e^(i mesh), i from 0
};

}  // namespace dpbudget::loss_distribution
