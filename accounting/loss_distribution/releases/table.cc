#include "dpbudget/accounting/loss_distribution/releases/table.h"

#include <vector>

#include "dpbudget/accounting/profile/table.h"

namespace dpbudget::loss_distribution {

Pieces table_pieces(const Table& points) {
  const profile::TableProfile profile(points);
  const std::vector<profile::TableProfile::Atom> atoms = profile.atoms();
  Pieces result{.pieces = {}, .errors = {.mass = 1e-11, .infinity = 0, .barycentre = 0, .loss = 0}};
  for (auto atom = atoms.rbegin(); atom != atoms.rend(); ++atom)
    if (atom->loss > 0) result.pieces.push_back({-atom->loss, -atom->loss, atom->q, atom->p, -atom->loss});
  for (const auto& [loss, p, q] : atoms) result.pieces.push_back({loss, loss, p, q, loss});
  result.p_at_infinity = result.q_at_infinity = profile.at_infinity();
  if (result.pieces.empty()) result.pieces.push_back({0, 0, 0, 0, 0});
  return result;
}

}  // namespace dpbudget::loss_distribution
