#include "dpbudget/accounting/loss_distribution/finite.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

double farthest(const Pieces& pieces) {
  double most = 0;
  for (const Piece& piece : pieces.pieces) most = std::max({most, std::abs(piece.low), std::abs(piece.high)});
  return most;
}

// Pieces in order of their lower ends, those made one that are no further than `gap` apart.
struct Joined {
  std::vector<Piece> pieces;
  double widest = 0;     // of the pieces
  std::size_t most = 1;  // how many became one
};
Joined joined(const std::vector<Piece>& sorted, double gap) {
  Joined result;
  result.pieces.reserve(sorted.size());
  std::size_t count = 0;
  for (const Piece& piece : sorted) {
    const bool keeps_accuracy = piece.p >= least_mass && piece.q >= least_mass;
    if (result.pieces.empty() || !keeps_accuracy || piece.low > result.pieces.back().high + gap) {
      result.pieces.push_back(piece);
      count = 1;
      continue;
    }
    Piece& last = result.pieces.back();
    last.high = std::max(last.high, piece.high);
    last.p += piece.p;
    last.q += piece.q;
    result.widest = std::max(result.widest, last.high - last.low);
    result.most = std::max(result.most, ++count);
  }
  return result;
}

}  // namespace

bool is_finite(const Pieces& pieces) {
  return pieces.p_above == 0 && pieces.q_below == 0 &&
         std::ranges::all_of(pieces.pieces, [](const Piece& piece) { return piece.low == piece.high; });
}

Pieces product(const Pieces& a, const Pieces& b) {
  const Pieces& longer = a.pieces.size() < b.pieces.size() ? b : a;
  const Pieces& shorter = a.pieces.size() < b.pieces.size() ? a : b;
  const double rounding = unit * (farthest(a) + farthest(b));
  // One shifted copy of the longer list for each piece of the shorter, merged into what is there already.
  std::vector<Piece> sorted;
  sorted.reserve(longer.pieces.size() * shorter.pieces.size());
  const auto by_loss = [](const Piece& x, const Piece& y) { return x.low < y.low; };
  for (const Piece& shift : shorter.pieces) {
    const auto middle = static_cast<std::ptrdiff_t>(sorted.size());
    for (const Piece& piece : longer.pieces)
      sorted.push_back({piece.low + shift.low, piece.high + shift.high, piece.p * shift.p, piece.q * shift.q,
                        piece.barycentre + shift.barycentre});
    std::ranges::inplace_merge(sorted, sorted.begin() + middle, by_loss);
  }
  auto [pieces, widest, most] = joined(sorted, rounding);
  Pieces result{.pieces = std::move(pieces), .errors = {}};
  // A sum of positive terms is off by less than 2^-53 for each; the barycentre of joined pieces is one of theirs.
  result.errors = {.mass = a.errors.mass + b.errors.mass + unit * (1 + static_cast<double>(most) / 16),
                   .infinity = a.errors.infinity + b.errors.infinity + 2 * unit,
                   .barycentre = a.errors.barycentre + b.errors.barycentre + rounding + widest,
                   .loss = a.errors.loss + b.errors.loss + rounding};
  const auto together = [](double x, double y) { return x + (1 - x) * y; };
  result.p_at_infinity = together(a.p_at_infinity, b.p_at_infinity);
  result.q_at_infinity = together(a.q_at_infinity, b.q_at_infinity);
  if (result.p_at_infinity == 0 && result.q_at_infinity == 0) result.errors.infinity = 0;
  return result;
}

std::optional<Pieces> power(const Pieces& base, std::uint64_t count, std::size_t most) {
  if (count == 0 || count > most) return std::nullopt;
  Pieces result = base;
  for (std::uint64_t done = 1; done < count && result.pieces.size() <= most; ++done) result = product(result, base);
  if (result.pieces.size() > most) return std::nullopt;
  return result;
}

}  // namespace dpbudget::loss_distribution
