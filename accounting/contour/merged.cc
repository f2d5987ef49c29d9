#include "dpbudget/accounting/contour/merged.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::contour {
namespace {

using loss_distribution::Piece;
using loss_distribution::PieceErrors;
using loss_distribution::Pieces;
using loss_distribution::Side;

constexpr double ulp = std::numeric_limits<double>::epsilon();

// About as many groups as hold most of the mass; each may cost as much.
constexpr double groups = 1024;
// So many take too long.
constexpr std::size_t most_groups = 4096;
constexpr int most_coarsenings = 30;
// So few need no merging.
constexpr std::size_t few_pieces = 512;
// Of a group's width, times the order: the tilted mass must vary little within it.
constexpr double widest_group = 0.5;

double rounding(double loss) { return 8 * ulp * std::abs(loss); }
double rounding(const Piece& piece) { return std::max(rounding(piece.low), rounding(piece.high)); }

// What each piece's width squared costs: its mass under the tilted law, or under the law itself.
std::vector<double> prices_of(const std::vector<Piece>& pieces, double c) {
  double largest = -infinity;
  for (const Piece& piece : pieces)
    if (piece.p > 0) largest = std::max(largest, c * piece.barycentre + std::log(piece.p));
  std::vector<double> prices;
  prices.reserve(pieces.size());
  double sum = 0;
  for (const Piece& piece : pieces) {
    prices.push_back(piece.p > 0 ? std::exp(c * piece.barycentre + std::log(piece.p) - largest) : 0);
    sum += prices.back();
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) prices[i] = std::max(pieces[i].p, prices[i] / sum);
  return prices;
}

// Where groups end, each of which costs no more than `most`; few pieces stay by themselves.
std::vector<std::size_t> group_ends(std::span<const Piece> pieces, const std::vector<double>& prices, double most,
                                    double widest) {
  std::vector<std::size_t> ends;
  const bool are_few = pieces.size() <= few_pieces;
  double price = 0;
  double low = pieces.front().low;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const double width = pieces[i].high - low;
    price += prices[i];
    if (i > 0 && (are_few || !(price * width * width <= most && width < widest))) {
      ends.push_back(i);
      price = prices[i];
      low = pieces[i].low;
    }
  }
  ends.push_back(pieces.size());
  return ends;
}

class Merger {
 public:
  Merger(const Pieces& given, Side side) : errors_(given.errors), side_(side) {
    const double farthest = std::max(std::abs(given.pieces.front().low), std::abs(given.pieces.back().high));
    slack_ = errors_.loss + rounding(farthest);
  }

  void add(std::span<const Piece> group) { side_ == Side::upper ? spread(group) : join(group); }

  void add(double loss, double mass) {
    if (mass > 0) atoms_.push_back({loss, mass});
  }

  // On the upper side, how much of P's mass of 1 is surely in what was added, a lower bound.
  double known() const { return known_; }
  double slack() const { return slack_; }
  std::vector<Atom> take() { return std::move(atoms_); }

 private:
  void spread(std::span<const Piece> group) {
    const double low = group.front().low;
    const double width = group.back().high - low;
    double mass_low = 0;
    double mass_high = 0;
    for (const Piece& piece : group) {
      const double mass = (piece.p + (piece.p < loss_distribution::least_mass ? loss_distribution::least_mass : 0)) *
                          (1 + errors_.mass + 4 * ulp);
      known_ += std::max(0.0, piece.p * (1 - errors_.mass - 4 * ulp));
      const double above = piece.barycentre + errors_.barycentre + errors_.loss + rounding(piece) - low;
      const double share =
          width > 0 ? std::clamp(std::expm1(-above) / std::expm1(-width) * (1 + 16 * ulp), 0.0, 1.0) : 1;
      mass_low += mass * (1 - share) * (1 + 2 * ulp);
      mass_high += mass * share;
    }
    const double raise = 1 + (4 + static_cast<double>(group.size())) * ulp;
    // Where one group ends the next begins.
    if (!atoms_.empty() && atoms_.back().loss == low + slack_)
      atoms_.back().mass = (atoms_.back().mass + mass_low * raise) * (1 + ulp);
    else
      add(low + slack_, mass_low * raise);
    add(group.back().high + slack_, mass_high * raise);
  }

  void join(std::span<const Piece> group) {
    const double from = group.front().barycentre;
    double mass = 0;
    double of_q = 0;  // over that of P at `from`
    for (const Piece& piece : group) {
      if (piece.p < loss_distribution::least_mass) continue;
      mass += piece.p;
      of_q += piece.p * std::exp(from - piece.barycentre);
    }
    if (!(mass > 0)) return;
    const double width = group.back().high - group.front().low;
    const double rounding_of_sums = (16 + 2 * static_cast<double>(group.size())) * ulp;
    // Relative errors of the masses move a barycentre within its group alone.
    const double of_masses = 4 * (errors_.mass + rounding_of_sums) * std::expm1(2 * width);
    const double loss = from - (group.size() > 1 ? std::log(of_q / mass) : 0);
    add(loss - errors_.barycentre - of_masses - (group.size() > 1 ? rounding_of_sums : 0) - slack_ + errors_.loss,
        mass * (1 - errors_.mass - rounding_of_sums));
  }

  PieceErrors errors_;
  Side side_;
  double slack_;
  double known_ = 0;
  std::vector<Atom> atoms_;
};

}  // namespace

Merged merged(const Pieces& given, Side side, const Merging& merging) {
  if (given.pieces.empty()) return {{}, side == Side::upper ? 1.0 : 0.0};
  const std::vector<double> prices = prices_of(given.pieces, merging.c);
  double most = 6 * merging.variance / groups;
  double widest = widest_group / std::max(1.0, merging.c);
  const std::span<const Piece> pieces = given.pieces;
  std::vector<std::size_t> ends = group_ends(pieces, prices, most, widest);
  for (int i = 0; i < most_coarsenings && ends.size() > most_groups; ++i)
    ends = group_ends(pieces, prices, most *= 8, widest *= 2);
  Merger merger(given, side);
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    merger.add(pieces.subspan(first, end - first));
    first = end;
  }
  if (side == Side::lower) {
    const double at_infinity = given.p_at_infinity * (1 - given.errors.infinity - 8 * ulp);
    return {merger.take(), std::max(0.0, at_infinity)};
  }
  const double at_infinity = (given.p_at_infinity * (1 + given.errors.infinity) + given.p_above) * (1 + 4 * ulp);
  // What is known to be nowhere else: at a loss that the first piece reaches
  // (accounting/loss_distribution/proofs.md, 2.2).
  const double known = (merger.known() + given.p_at_infinity * (1 - given.errors.infinity)) *
                       (1 - (4 + static_cast<double>(pieces.size())) * ulp);
  merger.add(pieces.front().high + merger.slack(), std::max(0.0, 1 - known));
  return {merger.take(), at_infinity};
}

}  // namespace dpbudget::contour
