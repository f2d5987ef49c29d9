/// @file
/// The contour accountant: epsilon and delta of Gaussians, Poisson-sampled or not, to about ten digits, and of
/// everything else that has a loss distribution to a small part of the tolerance, both ends proven.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/contour/inversion.h"
#include "dpbudget/accounting/contour/one_sided.h"
#include "dpbudget/accounting/contour/plan_transforms.h"
#include "dpbudget/accounting/numeric/bracket.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::contour {

/// A round of a plan, for any number of repetitions of it. Not to be shared between threads: it keeps what it has
/// computed.
class Contour {
 public:
  /// @param tolerance  relative width that is aimed at where losses are known by their distributions, in (0, 1)
  /// Errors as `PlanTransforms`.
  explicit Contour(const NormalPlan& round, double tolerance = 1e-3);

  /// Bounds on the smallest epsilon for which `count` repetitions of the round are (epsilon, delta)-DP.
  /// @param count  in [0, 2^53]
  /// @param delta  in (0, 1)
  /// Ends farther apart than the tolerance, up to a tenth, are given with a note that says so.
  /// @throws Unsupported when the integrand decays too slowly to be summed: few rounds, or rare ones; and where loss
  ///         distributions do better: for shuffles, a few releases, and outcomes few enough to be added up
  Bound epsilon(std::uint64_t count, double delta) const;

  /// The same, but with nothing from below where no data sets attain the upper end.
  Bound epsilon_from_above(std::uint64_t count, double delta) const;

  /// The same, until the dominating pair's bracket is_clear_of `budget`.
  /// @param budget  in [0, inf)
  Bound epsilon_beside(std::uint64_t count, double delta, double budget) const;

  /// Bounds on the smallest delta.
  /// @param epsilon  in [0, inf)
  /// Count and errors as above.
  DeltaBound delta(std::uint64_t count, double epsilon) const;
  /// As epsilon_from_above.
  DeltaBound delta_from_above(std::uint64_t count, double epsilon) const;

  /// As `delta`, until the upper end is at most `budget`.
  /// @param budget  in [0, 1)
  DeltaBound delta_beside(std::uint64_t count, double epsilon, double budget) const;

  /// Whether the upper end is that of a pair that no data sets attain.
  bool is_unattained() const { return losses_.is_unattained(); }

 private:
  /// By transforms as they are where all are known and decay, else by smoothed ones.
  template <class Exact, class OneSided>
  Checkable sharpest(std::uint64_t count, const Exact& exact, const OneSided& one_sided) const;
  Bound epsilon_of(const Question& question, double delta) const;
  DeltaBound delta_of(const Question& question, double epsilon) const;
  bool has_few_releases(double count) const;
  Inversion::Limits limits(double count) const;
  void require_worthwhile(std::uint64_t count) const;
  Bound bound(const Checkable& found, double lower, double upper, std::uint64_t count) const;
  Checkable exact_epsilon(const Question& question, double log_delta) const;
  Checkable exact_log_delta(const Question& question, double epsilon) const;
  Checkable attained_epsilon(double count, double log_delta) const;  // of whose bounds the lower end counts
  Checkable attained_log_delta(double count, double epsilon) const;

  NormalPlan round_;
  double tolerance_;
  PlanTransforms losses_;
  std::vector<TransformPtr> exact_;     // by direction, where all are known
  std::vector<TransformPtr> attained_;  // the same from below, where that is another pair's
};

/// The same for a plan as it is.
/// Errors as `Contour`.
/// @source the theorems it returns, and accounting/contour/proofs.md
Bound epsilon(const NormalPlan& plan, double delta, double tolerance = 1e-3);
/// The smallest delta at `epsilon`, likewise.
DeltaBound delta(const NormalPlan& plan, double epsilon, double tolerance = 1e-3);

}  // namespace dpbudget::contour
