/// @file
/// The loss-distribution accountant: certified brackets of epsilon and delta, as narrow as asked for.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/loss_distribution/evaluator.h"
#include "dpbudget/accounting/loss_distribution/mesh_search.h"
#include "dpbudget/accounting/loss_distribution/outline.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::loss_distribution {

/// Answers for any number of repetitions of one plan. Meshes and discretisations are kept between questions.
///
/// Both ends of every bracket are proven, rounding included. Their distance is at most `tolerance` times the upper end;
/// where that takes more grid points than allowed, a note says what was reached.
///
/// The lower end holds for data sets that are neighbours indeed. For sampling without replacement the upper end rests
/// on a pair that no data sets attain, so that the ends stay apart however fine the mesh: `tolerance` then is how near
/// the upper end comes to what the theorem can give, and a note says so.
class Accountant {
 public:
  /// @param plan       one round
  /// @param tolerance  in (0, 1)
  /// @param aim        relative width that brackets have where that costs little and data sets attain the upper end, in
  ///                   (0, tolerance]
  /// @throws Unsupported when the plan holds an event or a sampling scheme that has no theorem here
  /// @throws InvalidArgument naming the number that is unknown or outside its range
  Accountant(const NormalPlan& plan, double tolerance, double aim);
  Accountant(const NormalPlan& plan, double tolerance) : Accountant(plan, tolerance, tolerance) {}

  /// @param count  repetitions of the plan
  /// @param delta  in (0, 1)
  Bound epsilon(std::uint64_t count, double delta);

  /// As `epsilon`, but with nothing from below where no data sets attain the upper end: what they attain takes as long
  /// again, and longer.
  Bound epsilon_from_above(std::uint64_t count, double delta);

  /// The same, until the dominating pair's bracket is_clear_of `budget`.
  /// @param budget  in [0, inf)
  Bound epsilon_beside(std::uint64_t count, double delta, double budget);

  /// @param epsilon  in [0, inf)
  DeltaBound delta(std::uint64_t count, double epsilon);
  /// As epsilon_from_above.
  DeltaBound delta_from_above(std::uint64_t count, double epsilon);

  /// The same, until the upper end is at most `budget`.
  /// @param budget  in [0, 1)
  DeltaBound delta_beside(std::uint64_t count, double epsilon, double budget);

  /// Whether the upper end is that of a pair that no data sets attain.
  bool is_unattained() const { return outline_.basis.is_unattained(); }

 private:
  MeshAnswer answer(const Question& question);
  Bound epsilon_of(const Question& question);
  DeltaBound delta_of(const Question& question);
  Bound bound(const MeshAnswer& answer, double lower, double upper, std::uint64_t count) const;

  double tolerance_;
  Outline outline_;
  double aim_;
  double largest_loss_;  // of the plan; infinite where none is known
  Evaluator evaluator_;
  std::optional<double> mesh_;  // where the last question ended: a good start for the next
};

}  // namespace dpbudget::loss_distribution
