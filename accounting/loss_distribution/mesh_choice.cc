#include "dpbudget/accounting/loss_distribution/mesh_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"

namespace dpbudget::loss_distribution {
namespace {

// A mesh divides the lattice that losses are on, unless it is so many times as coarse, where that no longer matters.
constexpr double far_coarser = 8;

// Meshes that are tried for how near losses on no lattice come to a grid: up to so many times as fine as wished for.
constexpr double finest_tried = 4;
constexpr double most_tried = 512;

// The mesh, of those that divide the most frequent distance, at which atoms that are spread over the points around them
// get the least variance.
double near_lattice(double wish, const std::vector<Lattice::Atom>& atoms) {
  const double distance = std::ranges::max_element(atoms, {}, &Lattice::Atom::weight)->distance;
  if (wish > far_coarser * distance) return wish;
  const double fewest = std::ceil(distance / wish);
  const double most = std::min(std::max(fewest, finest_tried * distance / wish), fewest + most_tried);
  double best = distance / fewest;
  double least = infinity;
  for (double parts = fewest; parts <= most; ++parts) {
    const double mesh = distance / parts;
    double variance = 0;
    for (const Lattice::Atom& atom : atoms) {
      const double position = atom.distance / mesh;
      const double above = position - std::floor(position);
      variance += atom.weight * above * (1 - above) * mesh * mesh;
    }
    if (variance < least) {
      least = variance;
      best = mesh;
    }
  }
  return best;
}

double on_lattice(double wish, const Lattice& lattice) {
  const bool is_far_coarser = !lattice.spacing || wish > far_coarser * *lattice.spacing;
  return is_far_coarser ? wish : *lattice.spacing / std::ceil(*lattice.spacing / wish);
}

}  // namespace

double chosen_mesh(double wish, const Lattice& lattice, int turn) {
  const bool is_near_first = !lattice.spacing && lattice.is_all;
  if (lattice.spacing && turn == 0) return on_lattice(wish, lattice);
  if (!lattice.atoms.empty() && turn == (is_near_first ? 0 : 1)) return near_lattice(wish, lattice.atoms);
  return wish;
}

}  // namespace dpbudget::loss_distribution
