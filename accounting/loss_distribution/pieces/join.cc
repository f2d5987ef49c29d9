#include "dpbudget/accounting/loss_distribution/pieces/join.h"

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cmath>
#include <iterator>
#include <utility>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// Of sums in which what is below least_mass is less than a rounding.
constexpr double least_accurate = 1e-270;

}  // namespace

JoinedPieces join(std::vector<Piece> sorted, double gap, double width) {
  JoinedPieces result;
  auto end = sorted.begin();  // of those that have been joined, in the place of those they were
  std::size_t count = 0;
  for (const Piece& piece : sorted) {
    const bool keeps_accuracy = piece.p >= least_mass && piece.q >= least_mass;
    const auto is_near = [&](const Piece& last) {
      return piece.low <= last.high + gap || piece.high - last.low <= width;
    };
    if (end == sorted.begin() || !keeps_accuracy || !is_near(*std::prev(end))) {
      *end++ = piece;
      count = 1;
      continue;
    }
    Piece& last = *std::prev(end);
    last.high = std::max(last.high, piece.high);
    last.p += piece.p;
    last.q += piece.q;
    result.widest = std::max(result.widest, last.high - last.low);
    result.most = std::max(result.most, ++count);
  }
  sorted.erase(end, sorted.end());
  result.pieces = std::move(sorted);
  return result;
}

void make_atoms(Pieces& pieces, double off) {
  double widest = 0;
  double farthest = 0;
  for (Piece& piece : pieces.pieces) {
    const double width = (piece.high - piece.low) * (1 + 4 * unit);
    widest = std::max(widest, width);
    if (width > 0 && std::min(piece.p, piece.q) >= least_accurate)
      piece.barycentre = std::clamp(std::log(piece.p / piece.q), piece.low, piece.high);
    else if (width > 0)
      off = std::max(off, width);
    piece.low = piece.high = piece.barycentre;
    farthest = std::max(farthest, std::abs(piece.barycentre));
  }
  boost::sort::pdqsort_branchless(pieces.pieces.begin(), pieces.pieces.end(), has_less_loss);
  pieces.errors.barycentre = std::max(off, 3 * pieces.errors.mass + 4 * unit * (1 + farthest));
  pieces.errors.loss += widest;
}

}  // namespace dpbudget::loss_distribution
