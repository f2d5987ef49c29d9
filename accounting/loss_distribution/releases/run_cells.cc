#include "dpbudget/accounting/loss_distribution/releases/run_cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::GeneratingFunction;

// Atoms are divided until a cell moves log G'' by a few steps of the grid, within these bounds, or by more where few
// runs end; and by more, up to the last, where there would be too many cells.
constexpr double steps_of_cell = 8;
constexpr double coarsest_cell = 1.0 / 16;
constexpr double finest_cell = 1.0 / 256;
constexpr double widest_of_rare = 0.5;
constexpr double widest_cell_of_run = 4;
constexpr std::size_t most_cells_of_run = 2048;

// Fills in what lies below and above each.
void accumulate(RunCells& law) {
  double p = 0;
  double q = law.q_only;
  for (RunCell& cell : law.cells) {
    cell.p_below = p;
    cell.q_below = q;
    p += cell.p;
    q += cell.q;
  }
  p = law.p_only;
  q = 0;
  for (auto cell = law.cells.rbegin(); cell != law.cells.rend(); ++cell) {
    cell->p_above = p;
    cell->q_above = q;
    p += cell->p;
    q += cell->q;
  }
}

// How much mass a cell may hold that has so much outside of itself on either side: less where K's largest and least
// outcome may be as far apart as outcomes are.
double most_mass(const GeneratingFunction& runs, double outside, double finest) {
  const double growth = runs.growth(outside);
  return std::min(std::max(widest_of_rare, finest), finest * std::exp(std::min(20.0, growth * outside / 2))) / growth;
}

// From 0 to 1/2, where an atom is to be divided: finely where its cells have little on the outer side.
// @param p_outer, q_outer  mass on that side; `p_other`, `q_other` on the other one
std::vector<double> cuts_of_half(const RunCell& atom, double p_outer, double q_outer, double p_other, double q_other,
                                 const GeneratingFunction& runs, double finest) {
  const auto share = [&](double mass, double outer, double other, double at) {
    return most_mass(runs, std::min({1.0, outer + at * mass, other + mass / 2}), finest) / mass;
  };
  std::vector<double> cuts;
  double at = 0;
  while (at < 0.5 && cuts.size() <= most_cells_of_run) {
    cuts.push_back(at);
    at += std::min(share(atom.p, p_outer, p_other, at), share(atom.q, q_outer, q_other, at));
  }
  return cuts;
}

// As fine as that, if it does not take too many cells.
std::optional<RunCells> divided_so(RunCells law, const GeneratingFunction& runs, double finest) {
  std::vector<RunCell> parts;
  for (const RunCell& atom : law.cells) {
    std::vector<double> cuts = cuts_of_half(atom, atom.p_below, atom.q_below, atom.p_above, atom.q_above, runs, finest);
    const std::vector<double> upper =
        cuts_of_half(atom, atom.p_above, atom.q_above, atom.p_below, atom.q_below, runs, finest);
    // An atom that is fine enough stays whole.
    if (cuts.size() == 1 && upper.size() == 1)
      cuts = {0, 1};
    else
      for (auto cut = upper.rbegin(); cut != upper.rend(); ++cut) cuts.push_back(1 - *cut);
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const double share = cuts[i] - cuts[i - 1];
      parts.push_back({atom.loss, atom.p * share, atom.q * share});
    }
    if (parts.size() > most_cells_of_run) return std::nullopt;
  }
  law.cells = std::move(parts);
  accumulate(law);
  return law;
}

}  // namespace

double left_by_rounding(const Pieces& inner) {
  return inner.errors.mass + numeric::unit * static_cast<double>(inner.pieces.size());
}

// accounting/loss_distribution/proofs.md, 4i.4
RunCells probabilities(const Pieces& inner) {
  RunCells law;
  law.p_only = std::min(1.0, inner.p_at_infinity);
  double p_left = 1 - law.p_only;
  double q_left = 1;
  for (auto atom = inner.pieces.rbegin(); atom != inner.pieces.rend(); ++atom) {
    const double p = std::min(p_left, atom->p);
    const double q = std::min(q_left, atom->q * (p / atom->p));
    if (!(p >= least_mass && q >= least_mass)) continue;
    law.cells.push_back({atom->barycentre, p, q});
    p_left -= p;
    q_left -= q;
  }
  std::ranges::reverse(law.cells);
  law.q_only = std::max(0.0, q_left);
  // But for what rounding leaves, and masses may be wrong by.
  if (p_left > left_by_rounding(inner)) law.p_only += p_left;
  if (law.cells.empty()) throw Unsupported("what is selected from has no finite losses");
  return law;
}

RunCells mirrored(const RunCells& law) {
  RunCells mirror{.cells = law.cells, .p_only = law.q_only, .q_only = law.p_only};
  std::ranges::reverse(mirror.cells);
  for (RunCell& cell : mirror.cells) cell = {-cell.loss, cell.q, cell.p};
  accumulate(mirror);
  return mirror;
}

// accounting/loss_distribution/proofs.md, 4i.3
RunCells divided(RunCells law, const GeneratingFunction& runs, double step) {
  accumulate(law);
  for (double finest = std::clamp(steps_of_cell * step, finest_cell, coarsest_cell); finest <= widest_cell_of_run;
       finest *= 2)
    if (auto parts = divided_so(law, runs, finest)) return *std::move(parts);
  throw Unsupported("so many runs take more than 2048 outcomes of each");
}

// accounting/loss_distribution/proofs.md, 4i.6
RunCells completed(const Pieces& inner) {
  RunCells law;
  law.p_only = inner.p_at_infinity;
  double p_left = 1 - law.p_only;
  double q_left = 1;
  for (auto atom = inner.pieces.rbegin(); atom != inner.pieces.rend(); ++atom) {
    if (!(atom->p >= least_mass && atom->q >= least_mass && atom->p <= p_left && atom->q <= q_left)) continue;
    law.cells.push_back({atom->barycentre, atom->p, atom->q});
    p_left -= atom->p;
    q_left -= atom->q;
  }
  // The rest takes in the lowest losses until it is below those that are left.
  while (!law.cells.empty() && p_left * law.cells.back().q > q_left * law.cells.back().p) {
    p_left += law.cells.back().p;
    q_left += law.cells.back().q;
    law.cells.pop_back();
  }
  if (std::min(p_left, q_left) > left_by_rounding(inner))
    law.cells.push_back({std::log(p_left / q_left), p_left, q_left});
  std::ranges::reverse(law.cells);
  return law;
}

}  // namespace dpbudget::loss_distribution
