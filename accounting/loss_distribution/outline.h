/// @file
/// What is looked at in a plan before its losses are put on a mesh.
#pragma once

#include <optional>
#include <vector>

#include "dpbudget/accounting/loss_distribution/basis.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::loss_distribution {

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
  double tail;                       ///< that each release may leave out at either end
  double releases = 0;               ///< single releases in it, nested ones multiplied
  double range = 0;                  ///< of the losses of the widest release
  double variance = 0;               ///< of the plan's loss, roughly
  double attained_variance = 0;      ///< the same of data sets that are neighbours; 0 where nobody looked
  Lattice lattice;                   ///< of the dominating pair
  Lattice attained_lattice;          ///< of data sets that are neighbours
  bool has_lattice_of_tail = false;  ///< shuffled responses have another at another tail
  bool has_normal_tails = false;     ///< nothing but shuffles of many reports, and Gaussians
};

/// @param tail  as Purpose::tail
/// Errors as PlanLosses.
Outline outline(const NormalPlan& plan, double tail);

}  // namespace dpbudget::loss_distribution
