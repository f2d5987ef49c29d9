#include "dpbudget/accounting/loss_distribution/releases/selected.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/releases/loss_grid.h"
#include "dpbudget/accounting/loss_distribution/releases/run_cells.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::GeneratingFunction;
using numeric::unit;

// What two cells, of the largest loss and of the least, take as long as: so many pieces on their way to an answer.
constexpr double pieces_in_pair = 6;

// The ends of cells that are looked at one by one; where there are more, several together.
constexpr std::size_t most_groups = 32;

// What is known of the largest loss's cell and of a range of the least one's, all as one outcome.
struct Block {
  double p;
  double q;
  std::size_t first;  // of the least one's cells, counted down; with the largest's own all runs may end there
  std::size_t last;
};

// Half the pair: the outcomes in which P has more than Q.
// accounting/loss_distribution/proofs.md, 4i.2 and 4i.3
class Selection {
 public:
  Selection(const RunCells& law, const GeneratingFunction& runs, bool is_spread, LossGrid& grid)
      : cells_(law.cells), runs_(runs), is_spread_(is_spread), grid_(grid) {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      if (cells_[i].loss > 0) of_largest(i);
  }

  double lost() const { return lost_; }  // mass of P in outcomes too rare to be followed
  double pairs() const { return pairs_; }

 private:
  void of_largest(std::size_t i) {
    const RunCell& largest = cells_[i];
    pairs_ += static_cast<double>(i + 1);
    blocks_.clear();
    add_block({runs_.from_zero(largest.p), runs_.from_zero(largest.q), i, i});
    for (std::size_t j = i; j-- > 0;) {
      const RunCell& least = cells_[j];
      const double p = runs_.second_difference(least.p_below + largest.p_above, least.p, largest.p);
      const double q = runs_.second_difference(least.q_below + largest.q_above, least.q, largest.q);
      add_block({p, q, j, j});
    }
    for (const Block& block : blocks_) close(i, block);
  }

  void add_block(const Block& block) {
    if (!(block.p >= least_mass && block.q >= least_mass)) {
      lost_ += block.p;
      return;
    }
    blocks_.push_back(block);
    while (blocks_.size() > 1 && rises(blocks_[blocks_.size() - 2], blocks_.back())) {
      const Block last = blocks_.back();
      blocks_.pop_back();
      blocks_.back().p += last.p;
      blocks_.back().q += last.q;
      blocks_.back().last = last.last;
    }
  }

  static bool rises(const Block& before, const Block& after) { return after.p / after.q >= before.p / before.q; }

  // A range of slopes' logarithms as the largest loss moves through its cell: of P and of Q the rate is between two.
  static double range(const RunCell& cell, double p_least, double p_most, double q_least, double q_most) {
    return std::max(0.0, cell.p * p_most - cell.q * q_least) - std::min(0.0, cell.p * p_least - cell.q * q_most);
  }

  // What is outside of the outcomes between the cell j and the largest's.
  double p_outside(std::size_t i, std::size_t j) const { return cells_[j].p_below + cells_[i].p_above; }
  double q_outside(std::size_t i, std::size_t j) const { return cells_[j].q_below + cells_[i].q_above; }

  // Of one cell's slope, where both move.
  double range_of_cell(std::size_t i, std::size_t j) const {
    const double p_far = std::min(1.0, p_outside(i, j) + cells_[i].p + cells_[j].p);
    const double q_far = std::min(1.0, q_outside(i, j) + cells_[i].q + cells_[j].q);
    const double p_least = runs_.growth(p_far);
    const double q_least = runs_.growth(q_far);
    const double p_most = runs_.growth(p_outside(i, j));
    const double q_most = runs_.growth(q_outside(i, j));
    return range(cells_[i], p_least, p_most, q_least, q_most) + range(cells_[j], p_least, p_most, q_least, q_most);
  }

  // Of slopes of what lies between the ends `near` and `far`, the one or the other being anywhere in a group.
  struct Ends {
    std::size_t near;
    std::size_t far;
  };
  double range_of_group(std::size_t i, const Ends& less, const Ends& more) const {
    const RunCell& cell = cells_[i];
    const auto rate = [&](const Ends& ends, bool is_p, bool has_moved) {
      const double own = is_p ? cell.p : cell.q;
      const double moved = has_moved ? 0 : own;
      const auto outside = [&](std::size_t j) {
        if (j == i) return 1 - own + moved;  // nothing but its own, or not even that
        return std::min(1.0, (is_p ? p_outside(i, j) : q_outside(i, j)) + moved);
      };
      return runs_.growth_between(outside(ends.near), ends.far > i ? 2.0 : outside(ends.far));
    };
    return range(cell, rate(less, true, false), rate(more, true, true), rate(less, false, false),
                 rate(more, false, true));
  }

  // accounting/loss_distribution/proofs.md, 4i.3
  void close(std::size_t i, const Block& block) {
    const double loss = std::log(block.p / block.q);
    // The end before the first cell; with the largest's own it is where nothing has been counted.
    const std::size_t start = block.first == i ? i + 1 : block.first + 1;
    double of_cells = 0;
    for (std::size_t j = block.last; j < i && j <= block.first; ++j) of_cells = std::max(of_cells, range_of_cell(i, j));
    double of_ends = 0;
    if (block.first != block.last || block.first == i) {
      const std::size_t count = block.first - block.last + 1;
      const std::size_t width = (count + most_groups - 1) / most_groups;
      for (std::size_t at = 0; at < count; at += width) {
        const std::size_t near = block.first - at;  // the ends of a group
        const std::size_t far = block.first - std::min(count - 1, at + width - 1);
        of_ends = std::max(of_ends, range_of_group(i, {near, start}, {far, start}));
        if (far > block.last) of_ends = std::max(of_ends, range_of_group(i, {block.last, near}, {block.last, far}));
      }
    }
    const double width = (of_cells + of_ends) * (1 + 16 * unit);
    add(loss - width, loss + width, block.p, block.q);
  }

  void add(double low, double high, double p, double q) {
    if (high > 0) grid_.add(low, high, p, q, is_spread_);
  }

  const std::vector<RunCell>& cells_;
  const GeneratingFunction& runs_;
  bool is_spread_;
  LossGrid& grid_;
  std::vector<Block> blocks_;
  double lost_ = 0;
  double pairs_ = 0;
};

double farthest(const RunCells& law) {
  return std::max(std::abs(law.cells.front().loss), std::abs(law.cells.back().loss));
}

PieceErrors errors_of(const Pieces& inner, const GeneratingFunction& runs, const RunCells& law, double reach) {
  const auto sums = static_cast<double>(law.cells.size());
  const double masses = runs.condition() * (left_by_rounding(inner) + unit * (4 + sums / 16)) + runs.relative_error() +
                        unit * (16 + sums * sums / 16);
  const double losses = 2 * (inner.errors.loss + inner.errors.barycentre) + 2 * masses + unit * (16 + reach);
  return {.mass = masses, .infinity = masses, .barycentre = losses, .loss = losses};
}

// What the best of all runs may lose at most: one run's largest and least losses, and how far G'' of P and of Q may be
// apart, which is as far as P and Q are.
double reach_of(const RunCells& law, const GeneratingFunction& runs) {
  double variation = law.p_only;
  for (const RunCell& cell : law.cells) variation += std::max(0.0, cell.p - cell.q);
  constexpr double for_rounding = 4;
  return 2 * farthest(law) + std::min(runs.log_growth_to(1), runs.growth(0) * variation) + for_rounding;
}

// The outcomes of a pair that have losses above 0.
struct Half {
  std::vector<Piece> pieces;
  double p = 0;
  double q = 0;
  double p_at_infinity = 0;
  double pairs = 0;  // of cells that were looked at

  double variation() const { return p + p_at_infinity - q; }
};

Half half(const RunCells& law, const GeneratingFunction& runs, double step, bool is_spread) {
  LossGrid grid(step, reach_of(law, runs));
  const Selection selection(law, runs, is_spread, grid);
  Half result;
  result.p_at_infinity = runs.difference(0, law.p_only) + (is_spread ? selection.lost() : 0);
  result.pairs = selection.pairs();
  grid.each([&](double cell, double p, double q) {
    if (cell < 0 || !(p > 0 && q > 0)) return;
    const double low = cell * step;
    const double high = (cell + 1) * step;
    result.pieces.push_back({low, high, p, q, std::clamp(std::log(p / q), low, high)});
    result.p += p;
    result.q += q;
  });
  return result;
}

// The outcomes above 0 of the pair and, mirrored, of the opposite one, and between them what is left.
// accounting/loss_distribution/proofs.md, 4i.5
Pieces halves(const Pieces& inner, const GeneratingFunction& runs, const Cut& cut, bool is_spread) {
  check(cut);
  const RunCells law = divided(probabilities(inner), runs, cut.step);
  const Half more = half(law, runs, cut.step, is_spread);
  const Half less = half(mirrored(law), runs, cut.step, is_spread);
  Pieces result = reversed({.pieces = less.pieces, .errors = {}, .p_at_infinity = less.p_at_infinity});
  result.p_at_infinity = more.p_at_infinity;
  result.errors = errors_of(inner, runs, law, reach_of(law, runs));
  result.work = pieces_in_pair * (more.pairs + less.pairs);
  const double rest = std::max(0.0, 1 - more.p - more.p_at_infinity - less.q);
  if (rest > 0) result.pieces.push_back({0, 0, rest, rest, 0});
  // Below 0 all that is left of P must count, though Q may have less of it.
  const double rounding = 4 * unit * static_cast<double>(law.cells.size()) + 4 * result.errors.mass;
  const double missing = is_spread ? less.variation() - more.variation() + rounding : 0;
  if (missing > 0) {
    const double p = missing / -std::expm1(-cut.step);
    result.pieces.push_back({cut.step, cut.step, p, p * std::exp(-cut.step), cut.step});
  }
  result.pieces.insert(result.pieces.end(), more.pieces.begin(), more.pieces.end());
  std::ranges::stable_sort(result.pieces, {}, &Piece::low);
  return result;
}

}  // namespace

GeneratingFunction generating_function(const Trials& trials) {
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law))
    return GeneratingFunction::poisson(poisson->mean.value());
  const auto& [eta, gamma] = std::get<Trials::NegativeBinomial>(trials.law);
  return GeneratingFunction::negative_binomial(eta, gamma);
}

Pieces selected(const Pieces& inner, const GeneratingFunction& runs, const Cut& cut) {
  return halves(inner, runs, cut, true);
}

Pieces selected_merged(const Pieces& inner, const GeneratingFunction& runs, const Cut& cut) {
  return halves(inner, runs, cut, false);
}

Pieces selected_by_loss(const Pieces& inner, const GeneratingFunction& runs, const Cut& cut) {
  check(cut);
  RunCells law = completed(inner);
  if (law.cells.empty()) return one_atom();
  const double reach = reach_of(law, runs);
  std::ranges::stable_sort(law.cells, {}, [](const RunCell& cell) { return std::abs(cell.loss); });
  LossGrid grid(cut.step, reach);
  double p_above = law.p_only;
  double q_above = 0;
  Pieces result{.pieces = {}, .errors = errors_of(inner, runs, law, reach)};
  result.p_at_infinity = runs.difference(0, law.p_only);
  for (auto cell = law.cells.rbegin(); cell != law.cells.rend(); ++cell) {
    const double p = runs.difference(p_above, cell->p);
    const double q = runs.difference(q_above, cell->q);
    if (p >= least_mass && q >= least_mass) {
      const double loss = std::log(p / q);
      grid.add(loss, loss, p, q, false);
    }
    p_above += cell->p;
    q_above += cell->q;
  }
  grid.each([&](double at, double p, double q) {
    const double low = at * cut.step;
    const double high = (at + 1) * cut.step;
    result.pieces.push_back({low, high, p, q, std::clamp(std::log(p / q), low, high)});
  });
  // Without a run nothing is told.
  if (const double none = runs.at_zero(); none > 0) {
    const auto above = std::ranges::find_if(result.pieces, [](const Piece& piece) { return piece.low >= 0; });
    result.pieces.insert(above, {0, 0, none, none, 0});
  }
  return result;
}

}  // namespace dpbudget::loss_distribution
