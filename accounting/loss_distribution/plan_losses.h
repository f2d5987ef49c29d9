/// @file
/// The loss distributions of a plan's releases.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "dpbudget/accounting/loss_distribution/basis.h"
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
/// ones end at multiples of half a mesh.
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

  /// How many grid points it took to make them, whole compositions by as many as their tilts.
  double points() const { return points_; }

 private:
  struct Counted {
    LossDistribution distribution;
    std::uint64_t count;
  };
  std::deque<Counted> releases_;
  double points_ = 0;
};

/// Where a plan's releases have atoms of loss. One that is on its grid costs nothing there.
struct Lattice {
  /// An atom of a release's loss.
  struct Atom {
    double distance;  ///< from where its release's grid begins, positive
    double weight;    ///< its mass, in all releases together
  };
  std::optional<double> spacing;    ///< that the mesh should divide: of all lattices, or of the most frequent one
  bool has_incommensurate = false;  ///< releases whose lattices share no mesh
  std::vector<Atom> atoms;
  bool is_all = true;  ///< nothing but these atoms
};

/// What must be known of a plan before a mesh is chosen.
struct Outline {
  Outline(Adjacency adjacency, double outline_tail) : basis(adjacency), tail(outline_tail) {}

  Basis basis;
  double tail;               ///< that each release may leave out at either end
  double releases = 0;       ///< single releases in it, nested ones multiplied
  double range = 0;          ///< of the losses of the widest release
  double variance = 0;       ///< of the plan's loss, roughly
  Lattice lattice;           ///< of the dominating pair
  Lattice attained_lattice;  ///< of data sets that are neighbours
};

/// @param tail  as Purpose::tail
/// Errors as PlanLosses.
Outline outline(const NormalPlan& plan, double tail);

}  // namespace dpbudget::loss_distribution
