/// @file
/// Local steps by SGD, momentum or Adam.
#pragma once

#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// Moves a model along directions, one participation's, the moments starting at zero. Every step is post-processing of
/// the directions given.
class LocalOptimiser {
 public:
  /// @param run  its algorithm takes optimiser
  LocalOptimiser(const SettledRun& run, double step_size, Eigen::Index dimension);

  /// sgd: x -= eta g. momentum: m = beta_1 m + g, x -= eta m. adam: with the moments' bias taken off, x -= eta m /
  /// (sqrt(v) + pi).
  /// @source Qian 1999 (momentum); Kingma, Ba 2015, Algorithm 1 (Adam)
  void step(const Vector& direction, Vector& model);

 private:
  const SettledRun& run_;
  double step_size_;
  double steps_ = 0;
  Vector first_;
  Vector second_;
};

}  // namespace dpbudget::fl
