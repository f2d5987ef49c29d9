/// @file
/// The loss distributions of a plan's releases.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "dpbudget/accounting/loss_distribution/distribution.h"
#include "dpbudget/accounting/loss_distribution/moments.h"
#include "dpbudget/accounting/loss_distribution/pieces/pair.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::loss_distribution {

/// What a discretisation of a plan is made for.
struct Purpose {
  Side side;
  Direction direction;
  Pair pair;
  double mesh;
  double tail;  ///< mass that each release may leave out at either end
};

/// The losses of one release, compositions inside of it on a grid, in the purpose's direction; pieces of continuous
/// ones end at multiples of half a mesh, or, of what shuffled reports attain, of less.
/// @param release  one of plan/releases.h, no participation
/// Errors as PlanLosses.
Pieces losses_of(const Event& release, Adjacency adjacency, const Purpose& purpose);

/// The releases that a plan composes (plan/releases.h), each on the grid; composing them gives the plan's loss
/// distribution. Finite releases that miss the grid are put on it several together.
class PlanLosses {
 public:
  /// @throws Unsupported when the plan holds an event or a sampling scheme that has no theorem here, or when a release
  ///         needs more than 2^24 grid points
  PlanLosses(const NormalPlan& plan, const Purpose& purpose);

  /// The releases of `count` repetitions of the plan; valid as long as this object.
  std::vector<Part> parts(std::uint64_t count) const;

  /// How many distinct ones there are.
  std::size_t releases() const { return releases_.size(); }

  /// How many grid points it took to make them, whole compositions by as many as their tilts.
  double points() const { return points_; }

  /// What pairs of outcomes took besides, which grow with the square of a finer mesh.
  double pairs() const { return pairs_; }

 private:
  struct Counted {
    LossDistribution distribution;
    std::uint64_t count;
  };
  std::deque<Counted> releases_;
  double points_ = 0;
  double pairs_ = 0;
};

}  // namespace dpbudget::loss_distribution
