/// @file
/// The loss-distribution accountant: certified brackets of epsilon and delta, as narrow as asked for.
#pragma once

#include <cstdint>
#include <memory>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/plan/plan.h"

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
  /// @throws Unsupported when the plan holds an event or a sampling scheme that has no theorem here
  /// @throws InvalidArgument naming the number that is unknown or outside its range
  Accountant(const Plan& plan, double tolerance);
  ~Accountant();

  /// @param count  repetitions of the plan
  /// @param delta  in (0, 1)
  Bound epsilon(std::uint64_t count, double delta);

  /// @param epsilon  in [0, inf)
  DeltaBound delta(std::uint64_t count, double epsilon);

 private:
  class Evaluator;
  struct Bracket;
  enum class Quantity { epsilon, log_delta };

  Bracket refined(Quantity wanted, std::uint64_t count, double given);
  double tail_for(std::uint64_t count, double delta) const;
  double first_mesh(std::uint64_t count) const;
  double least_mesh(double tail) const;
  Bound bound(const Bracket& bracket, double lower, double upper) const;

  Plan plan_;
  double tolerance_;
  Outline outline_;
  std::unique_ptr<Evaluator> evaluator_;
  double mesh_ = 0;  // where the last question ended: a good start for the next
};

}  // namespace dpbudget::loss_distribution
