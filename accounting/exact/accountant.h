/// @file
/// The exact accountant: closed forms, and one set of shuffled reports.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::exact {

/// Answers for any number of repetitions of Gaussians, and for one set of shuffled reports.
class Accountant {
 public:
  /// @param plan  one repetition
  /// @throws Unsupported when the plan is neither, or as `require_shuffled_theorem`
  explicit Accountant(const NormalPlan& plan);

  /// A bracket around the smallest epsilon of `count` repetitions, as `composed_gaussian_epsilon` and
  /// `shuffled_epsilon` give it.
  /// @param count  in [0, 2^53]
  /// @param delta  in (0, 1)
  /// @throws Unsupported when reports are shuffled more than once
  Bound epsilon(std::uint64_t count, double delta) const;

  /// The same for delta at `epsilon`, in [0, inf).
  DeltaBound delta(std::uint64_t count, double epsilon) const;

 private:
  NormalPlan plan_;
};

}  // namespace dpbudget::exact
