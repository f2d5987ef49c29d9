#include "dpbudget/accounting/loss_distribution/releases/mixture.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "dpbudget/accounting/loss_distribution/pieces/whole_tails.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// log of the mean of e^barycentre under Q of both, without loss of digits where they are alike.
double joint_barycentre(const Piece& a, const Piece& b) {
  if (a.barycentre == b.barycentre) return a.barycentre;
  const Piece& low = a.barycentre < b.barycentre ? a : b;
  const Piece& high = a.barycentre < b.barycentre ? b : a;
  const double apart = high.barycentre - low.barycentre;
  return low.barycentre + std::log1p(high.q / (low.q + high.q) * std::expm1(apart));
}

bool overlap(const Piece& earlier, const Piece& later) {
  return later.low < earlier.high || (later.low == earlier.low && later.high == earlier.high);
}

// Masses that may have lost their digits count as the most that they can be.
Piece weighted(const Piece& piece, double probability) {
  return {piece.low, piece.high, std::max(least_mass, probability * piece.p),
          std::max(least_mass, probability * piece.q), piece.barycentre};
}

}  // namespace

Pieces mixture(const std::vector<MixedLosses>& components, double error) {
  Pieces result;
  std::vector<Piece> all;
  for (const auto& [probability, pieces] : components) {
    const double most = probability * (1 + error + 4 * unit);
    for (const Piece& piece : pieces.pieces) all.push_back(weighted(piece, probability));
    result.errors.mass = std::max(result.errors.mass, pieces.errors.mass);
    result.errors.infinity = std::max(result.errors.infinity, pieces.errors.infinity);
    result.errors.barycentre = std::max(result.errors.barycentre, pieces.errors.barycentre);
    result.errors.loss = std::max(result.errors.loss, pieces.errors.loss);
    result.p_at_infinity += most * pieces.p_at_infinity;
    result.q_at_infinity += most * pieces.q_at_infinity;
    result.work += pieces.work;
    // Among the others' pieces nothing may count for less than it is: all that is cut off goes to infinity.
    const CutOff cut_off = whole_tails(pieces);
    result.p_above += most * cut_off.p;
    result.q_below += most * cut_off.q;
  }
  std::ranges::sort(all, {}, [](const Piece& piece) { return std::tuple(piece.low, piece.high); });
  double widest = 0;                     // distance of barycentres that were put together
  double farthest = 0;                   // of them from 0
  std::size_t most = components.size();  // pieces that were put together
  std::size_t together = 1;
  double lowest = 0;
  double highest = 0;
  for (const Piece& piece : all) {
    if (result.pieces.empty() || !overlap(result.pieces.back(), piece)) {
      result.pieces.push_back(piece);
      together = 1;
      lowest = highest = piece.barycentre;
      continue;
    }
    Piece& last = result.pieces.back();
    most = std::max(most, ++together);
    lowest = std::min(lowest, piece.barycentre);
    highest = std::max(highest, piece.barycentre);
    widest = std::max(widest, highest - lowest);
    farthest = std::max({farthest, std::abs(lowest), std::abs(highest)});
    last = {last.low, std::max(last.high, piece.high), last.p + piece.p, last.q + piece.q,
            joint_barycentre(last, piece)};
  }
  const auto number = static_cast<double>(most);
  const double relative = result.errors.mass + error + unit * (4 + number);
  result.errors.barycentre +=
      3 * relative * std::min(1.0, std::expm1(widest)) + unit * number * (4 * widest + farthest);
  result.errors.mass = relative * (1 + relative);
  result.errors.infinity =
      result.errors.infinity == 0 && result.p_at_infinity == 0 ? 0 : result.errors.infinity + unit * number;
  return result;
}

}  // namespace dpbudget::loss_distribution
