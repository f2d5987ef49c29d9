#include "dpbudget/accounting/loss_distribution/grid_offset.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"

namespace dpbudget::loss_distribution {
namespace {

// Less of P is no atom that matters.
constexpr double least_told_atom = 0x1p-10;

}  // namespace

double offset_for(const Pieces& pieces, double mesh, double tail) {
  if (is_two_atoms(pieces)) return pieces.pieces.front().low;
  if (!is_far(tail)) return 0;
  const auto most = std::ranges::find_if(pieces.pieces, [](const Piece& piece) { return piece.p > 0.5; });
  if (most == pieces.pieces.end()) return 0;
  const double position = most->barycentre / mesh;
  return std::abs(position - std::round(position)) <= 1e-9 ? 0 : most->barycentre;
}

double offset_for_atoms(const Pieces& pieces, double mesh) {
  std::vector<Piece> atoms;
  std::ranges::copy_if(pieces.pieces, std::back_inserter(atoms),
                       [](const Piece& piece) { return is_atom(piece) && piece.p > least_told_atom; });
  double least = infinity;
  double best = 0;
  for (const Piece& candidate : atoms) {
    double lost = 0;
    for (const Piece& atom : atoms) {
      const double position = (atom.low - candidate.low) / mesh;
      const double above = position - std::floor(position);
      if (above < 1 - 1e-9) lost += atom.p * above;
    }
    if (lost < least) least = lost, best = candidate.low;
  }
  return best;
}

}  // namespace dpbudget::loss_distribution
