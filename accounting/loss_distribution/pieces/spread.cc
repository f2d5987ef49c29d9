#include "dpbudget/accounting/loss_distribution/pieces/spread.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

Piece atom_at(double loss, double p, double q) { return {loss, loss, p, q, loss}; }

}  // namespace

Pieces spread(Pieces atoms, double step) {
  std::vector<Piece> moved;
  double widest = 0;
  for (const Piece& atom : atoms.pieces) {
    widest = std::max(widest, atom.high - atom.low);
    const double below = std::floor(atom.high / step) * step;
    if (below == atom.high) {
      moved.push_back(atom_at(below, atom.p, atom.q));
      continue;
    }
    // What both masses leave to an end has the other end's distance in it, and no power of e that a double does not
    // hold.
    const double up = atom.high - below;
    const double down = below + step - atom.high;
    const double to_below = std::expm1(-down) / std::expm1(-step);
    const double to_above = std::expm1(-up) / std::expm1(-step);
    moved.push_back(atom_at(below, atom.p * std::exp(-up) * to_below, atom.q * to_below));
    moved.push_back(atom_at(below + step, atom.p * to_above, atom.q * std::exp(-down) * to_above));
  }
  std::ranges::sort(moved, {}, &Piece::low);
  atoms.pieces.clear();
  std::size_t most = 1;
  std::size_t equal = 0;
  for (const Piece& atom : moved) {
    if (atoms.pieces.empty() || atoms.pieces.back().low != atom.low) {
      atoms.pieces.push_back(atom);
      equal = 1;
      continue;
    }
    atoms.pieces.back().p += atom.p;
    atoms.pieces.back().q += atom.q;
    most = std::max(most, ++equal);
  }
  atoms.errors.mass += unit * (32 + static_cast<double>(most));
  atoms.errors.loss += widest * (1 + 4 * unit);
  atoms.errors.barycentre += widest * (1 + 4 * unit) + step;
  return atoms;
}

}  // namespace dpbudget::loss_distribution
