#include "dpbudget/accounting/loss_distribution/releases/mixture.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// At the ends of one component's pieces.
struct Ends {
  double first_low;
  double first_high;
  double last_low;
  double last_high;
};

Ends ends_of(const Pieces& pieces) {
  const Piece& first = pieces.pieces.front();
  const Piece& last = pieces.pieces.back();
  return {first.low, first.high, last.low, last.high};
}

// What is cut off of P above the last piece, with all of it, and of Q there.
struct CutOff {
  double p;
  double q;
};

// All of what exceeds e^-gap of itself by `excess` at most.
double whole(double excess, double gap) {
  return gap > 0 ? std::min(1.0, excess / -std::expm1(-gap) * (1 + 8 * unit)) : 1;
}

// P(T) - e^x Q(T) <= `excess` for a loss x that the first piece reaches, and Q(T) <= e^-h P(T).
CutOff above(double excess, const Ends& ends) {
  const double p = whole(excess, ends.last_high - ends.first_high);
  return {p, std::min(1.0, p * std::exp(-ends.last_high) * (1 + 4 * unit))};
}

// The same the other way round.
CutOff below(double excess, const Ends& ends) {
  const double q = whole(excess, ends.last_low - ends.first_low);
  return {std::min(1.0, q * std::exp(ends.first_low) * (1 + 4 * unit)), q};
}

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
    const Ends ends = ends_of(pieces);
    // Among the others' pieces nothing may count for less than it is: all that is cut off goes to infinity.
    if (pieces.p_above > 0) {
      const CutOff at_top = above(pieces.p_above, ends);
      result.p_above += most * at_top.p;
      result.q_below += most * at_top.q;
    }
    if (pieces.q_below > 0) {
      const CutOff at_bottom = below(pieces.q_below, ends);
      result.p_above += most * at_bottom.p;
      result.q_below += most * at_bottom.q;
    }
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
