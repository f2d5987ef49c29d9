#include "dpbudget/accounting/loss_distribution/discretise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::Extended;

constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr std::int64_t most_points_of_grid = 1 << 24;

// Below, a rounding error is itself too small for a double.
constexpr double least_mesh = 0x1p-1000;

// Beyond, a sum of 2^53 losses may be more than a double holds, and what is not a number passes for no bound at all.
constexpr double greatest_loss_on_grid = 1e290;

// What epsilon loses by a variance, against what it loses by an equal fall of the mean: (c + 1) / 2 at a tilt of order
// c.
constexpr double cost_of_variance = 4;

// Meshes from a point within which balance may be taken from any outcome.
constexpr double near_a_point = 4;

// What holds more of P than all the rest can take all that is rare to be balanced.
constexpr double most_of_all = 0.5;

// Rounding of a loss, of its grid point and of their difference, as an absolute error of the loss.
double rounding(double loss) { return 8 * ulp * std::abs(loss); }
double rounding(const Piece& piece) { return std::max(rounding(piece.low), rounding(piece.high)); }

// The index of a grid point. Beyond the largest, rounding would put a piece's upper end below its lower one.
std::int64_t point(double position) {
  if (!(std::abs(position) < 0x1p48)) throw Unsupported("losses are too large for the mesh of their grid");
  return to_integer<std::int64_t>(position, "grid point");
}

LossDistribution on_grid(const Grid& grid, Side side, std::int64_t first, std::int64_t last) {
  if (!(grid.mesh >= least_mesh)) throw Unsupported("losses are too small for the doubles that hold them");
  const double reach = std::max(std::abs(static_cast<double>(first)), std::abs(static_cast<double>(last))) * grid.mesh;
  if (!(reach + std::abs(grid.offset) < greatest_loss_on_grid))
    throw Unsupported("losses are too large for the doubles that hold their sums");
  const std::int64_t points = last - first + 1;
  if (points > most_points_of_grid)
    throw Unsupported(
        fmt::format("a mesh of {:.3g} needs {} grid points for one release; the most is 2^24", grid.mesh, points));
  LossDistribution result{.side = side, .grid = grid, .first = first, .mass = {}, .at_infinity = 0, .slack = 0};
  result.mass.resize(static_cast<std::size_t>(points));
  return result;
}

// The grid points between which a piece lies. A point that a piece passes by no more than rounding counts as its end.
struct Span {
  std::int64_t below;
  std::int64_t above;
};
Span span_of(const Piece& piece, const Grid& grid) {
  const double low = (piece.low - grid.offset) / grid.mesh;
  const double high = (piece.high - grid.offset) / grid.mesh;
  return {point(std::floor(low + 4 * ulp * std::abs(low))), point(std::ceil(high - 4 * ulp * std::abs(high)))};
}

// From the lowest end of a piece to the highest, which rounding may have put elsewhere than first and last.
Span span_of(const Pieces& given, const Grid& grid) {
  Span whole = span_of(given.pieces.front(), grid);
  for (const Piece& piece : given.pieces) {
    const auto [below, above] = span_of(piece, grid);
    whole = {std::min(whole.below, below), std::max(whole.above, above)};
  }
  return whole;
}

// accounting/loss_distribution/proofs.md, 1.2 and 1.3
LossDistribution connect_the_dots(const Pieces& given, const Grid& grid) {
  const Span whole = span_of(given, grid);
  LossDistribution result = on_grid(grid, Side::upper, whole.below, whole.above);
  const double raise = 1 + given.errors.mass + 4 * ulp;
  std::vector<std::uint32_t> added(result.mass.size());  // to each point
  Extended total = 0;
  for (const Piece& piece : given.pieces) {
    const auto [below, above] = span_of(piece, grid);
    const double mass = (piece.p + (piece.p < least_mass ? least_mass : 0)) * raise;
    total += mass;
    const auto at = static_cast<std::size_t>(below - result.first);
    ++added[at];
    if (below == above) {
      result.mass[at] += mass;
      continue;
    }
    // Mass and Q-mass of the piece are kept: that fixes the share of the upper point.
    const double base = result.loss(at);
    const double loss = piece.barycentre + given.errors.barycentre + given.errors.loss + rounding(piece) - base;
    const double width = static_cast<double>(above - below) * grid.mesh;
    const double share = std::clamp(std::expm1(-loss) / std::expm1(-width) * (1 + 16 * ulp), 0.0, 1.0);
    result.mass[at] += mass * (1 - share) * (1 + 2 * ulp);
    const std::size_t upper = at + static_cast<std::size_t>(above - below);
    ++added[upper];
    result.mass[upper] += mass * share;
  }
  for (std::size_t i = 0; i < added.size(); ++i) result.mass[i] *= 1 + (4 + added[i]) * ulp;
  // Where it is given exactly it stays so: an (epsilon, delta) guarantee must meet its own delta.
  const bool is_exact = given.errors.infinity == 0 && given.p_above == 0;
  result.at_infinity = is_exact ? given.p_at_infinity
                                : (given.p_at_infinity * (1 + given.errors.infinity) + given.p_above) * (1 + 4 * ulp);
  Extended known = total + Extended(result.at_infinity);
  std::size_t lowest = 0;
  if (given.p_above > 0) {
    // Not all of what is above the last piece is at infinity. The rest may count at a loss that the first piece
    // reaches, and masses that were raised below that cannot stand for it.
    const double most_raised = 3 * (raise - 1) + 0x1p-63 * static_cast<double>(given.pieces.size());
    known = total * (1 - Extended(most_raised)) + Extended(given.p_at_infinity * (1 - given.errors.infinity - 4 * ulp));
    lowest = static_cast<std::size_t>(span_of(given.pieces.front(), grid).above - result.first);
  }
  if (known < 1) result.mass[lowest] += static_cast<double>(1 - known) * (1 + 4 * ulp);
  const double farthest = std::max(std::abs(given.pieces.front().low), std::abs(given.pieces.back().high));
  result.slack = given.errors.loss + rounding(farthest);
  return result;
}

// Fills cells from below: each takes atoms, the last one in part, until its barycentre is the grid point.
// accounting/loss_distribution/proofs.md, 1.4
class Merger {
 public:
  Merger(const Pieces& given, const Grid& grid, double rare)
      : grid_(grid), errors_of_barycentres_(given.errors.barycentre) {
    const double keep = 1 - given.errors.mass - 8 * ulp;
    atoms_.reserve(given.pieces.size());
    for (const Piece& piece : given.pieces) {
      if (piece.p < least_mass) continue;
      atoms_.push_back({piece.p * keep, piece.barycentre});
      farthest_ = std::max({farthest_, std::abs(piece.low), std::abs(piece.high)});
    }
    // Errors must not put atoms out of order; a barycentre may always be taken lower.
    for (std::size_t i = atoms_.size(); i-- > 1;) atoms_[i - 1].loss = std::min(atoms_[i - 1].loss, atoms_[i].loss);
    if (atoms_.empty()) atoms_.push_back({0, 0});
    left_ = atoms_.front().mass;
    keep_rare(given.p_at_infinity, rare);
  }

  LossDistribution merged() {
    const std::int64_t first = point_above(atoms_.front().loss) - 1;
    LossDistribution result = on_grid(grid_, Side::lower, first, point_above(atoms_.back().loss));
    double terms = 0;  // of any cell's sums, at most
    while (next_ < atoms_.size()) {
      const std::int64_t here = point_above(atoms_[next_].loss);
      const auto at = static_cast<std::size_t>(here - first);
      const std::size_t first_merged = next_;
      Cell cell{.loss = result.loss(at)};
      fill(cell, here);
      // Balance may have to come from far above, at the cost of variance: then rounding down is the better choice.
      const std::size_t above = next_;
      const double left_above = left_;
      balance(cell);
      cell.terms = static_cast<double>(next_ + 1 - first_merged);
      terms = std::max(terms, cell.terms);
      const double unbalanced = unbalanced_share(cell);
      if (unbalanced == 1) {
        next_ = above;
        left_ = left_above;
        cell.taken = 0;
      }
      result.mass[at - 1] += cell.below * unbalanced;
      result.mass[at] += cell.below * (1 - unbalanced) + cell.at + cell.taken;
    }
    for (double& mass : result.mass) mass *= 1 - (8 + terms) * ulp;
    // Where every true barycentre is lower than computed, so is every cell's.
    result.slack = errors_of_barycentres_ + 2 * rounding(farthest_) + (64 + 2 * terms) * ulp * grid_.mesh +
                   rounding_of_point(farthest_ + grid_.mesh);
    return result;
  }

 private:
  struct Atom {
    double mass;
    double loss;
  };

  // What is put at a grid point, or rounded down to the one before.
  struct Cell {
    double loss;               // of the point
    double below = 0;          // mass of atoms below the point
    double at = 0;             // mass of atoms at it
    double taken = 0;          // mass of atoms above it, for balance
    double deficit = 0;        // by how much P of all these falls short of e^loss Q
    double deficit_below = 0;  // the same without what was taken
    double terms = 0;          // that any of these is a sum of, at most
    double cost_of_rounding = 0;
    double cost_of_balance = 0;
  };

  // Takes the atoms up to the point.
  void fill(Cell& cell, std::int64_t here) {
    for (; next_ < atoms_.size() && point_above(atoms_[next_].loss) <= here; go_on()) {
      const double distance = cell.loss - atoms_[next_].loss;
      const bool is_below = distance > rounding_of_point(cell.loss);
      (is_below ? cell.below : cell.at) += left_;
      if (is_below) cell.deficit += left_ * std::expm1(distance);
      cell.cost_of_rounding += left_ * (grid_.mesh - distance);
      cell.cost_of_balance += left_ * distance * distance * cost_of_variance;
    }
    cell.deficit_below = cell.deficit;
  }

  // Takes those above it that balance what lies below, the last one in part. What rounding alone leaves takes no more:
  // there may be none but rare ones.
  void balance(Cell& cell) {
    const double balanced = 8 * ulp * cell.deficit_below;
    for (; next_ < atoms_.size() && cell.deficit > balanced && cell.cost_of_balance <= cell.cost_of_rounding; go_on()) {
      const double distance = atoms_[next_].loss - cell.loss;
      const bool is_kept = cell.below > most_of_all && next_ >= first_kept_ && distance > near_a_point * grid_.mesh;
      if (is_kept) return;
      const double surplus = left_ * -std::expm1(cell.loss - atoms_[next_].loss);
      const double share = surplus > cell.deficit ? cell.deficit / surplus : 1;
      cell.taken += left_ * share;
      cell.cost_of_balance += left_ * share * distance * distance * cost_of_variance;
      if (share < 1) {
        left_ *= 1 - share;
        cell.deficit = 0;
        return;
      }
      cell.deficit -= surplus;
    }
  }

  // Of what lies below: what nothing balances, as there is no more or it is kept, and as much as rounding may hide of
  // that; or all, where that is the better choice.
  double unbalanced_share(const Cell& cell) const {
    const double hidden = (8 + cell.terms) * ulp;
    const double share = cell.deficit > 0 ? std::min(1.0, cell.deficit / cell.deficit_below + hidden) : 0;
    const bool is_all_taken = cell.deficit > 0 && next_ == atoms_.size();
    const bool is_far_taken = is_all_taken && atoms_.back().loss - cell.loss > near_a_point * grid_.mesh;
    const double cost = cell.cost_of_balance + (is_all_taken ? share * cell.cost_of_rounding : 0);
    return is_far_taken || cost > cell.cost_of_rounding ? 1 : share;
  }

  // An atom no further below its point than this is at it: rounding alone would take away what nothing can balance.
  double rounding_of_point(double loss) const { return rounding(std::abs(loss) + std::abs(grid_.offset)); }

  // Finds the atoms at whose losses delta is at most `rare`.
  void keep_rare(double at_infinity, double rare) {
    first_kept_ = atoms_.size();
    double above = at_infinity;
    double delta = at_infinity;
    for (std::size_t i = atoms_.size(); i-- > 0 && delta < rare; first_kept_ = i) {
      const double step = i + 1 < atoms_.size() ? atoms_[i + 1].loss - atoms_[i].loss : 0;
      delta += -std::expm1(-step) * (above - delta);
      if (!(delta < rare)) break;
      above += atoms_[i].mass;
    }
  }

  void go_on() {
    ++next_;
    left_ = next_ < atoms_.size() ? atoms_[next_].mass : 0;
  }

  // The grid point at or above a loss; one that rounding alone puts below the loss is at it.
  std::int64_t point_above(double loss) const {
    const double position = (loss - grid_.offset) / grid_.mesh;
    return point(std::ceil(position - 4 * ulp * std::abs(position)));
  }

  Grid grid_;
  double errors_of_barycentres_;
  double farthest_ = 0;
  std::vector<Atom> atoms_;
  std::size_t next_ = 0;
  double left_ = 0;             // of the atom there
  std::size_t first_kept_ = 0;  // from which on atoms are too rare to balance others
};

}  // namespace

LossDistribution discretise(const Pieces& pieces, const Grid& grid, Side side, double rare) {
  if (side == Side::upper) return connect_the_dots(pieces, grid);
  LossDistribution result = Merger(pieces, grid, rare).merged();
  result.at_infinity = pieces.p_at_infinity * (1 - pieces.errors.infinity - 8 * ulp);
  return result;
}

}  // namespace dpbudget::loss_distribution
