/// @file
/// The losses of a release on a batch, of which one sees how often what is changed is in it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dpbudget/accounting/loss_distribution/releases/mixture.h"
#include "dpbudget/accounting/plan/copies.h"

namespace dpbudget::loss_distribution {

/// @param tail    as Cut::tail
/// @param losses  of so many copies: Pieces, or nothing, as then is the result
/// @source accounting/plan/proofs.md, 2.1 and 4.1; accounting/loss_distribution/proofs.md, 4f.1
template <class Losses>
std::optional<Pieces> mixed_over(const Occurrences& law, double tail, const Losses& losses) {
  const TimesDrawn times = times_drawn(law, tail);
  std::vector<MixedLosses> components;
  for (const DrawnTimes& drawn : times.kinds) {
    std::optional<Pieces> found = losses(drawn.copies);
    if (!found) return std::nullopt;
    components.push_back({drawn.probability, *std::move(found)});
  }
  // Where there are more copies than counted all is told.
  Pieces mixed = mixture(components, times.error);
  mixed.p_above += times.beyond;
  mixed.q_below += times.beyond;
  return mixed;
}

}  // namespace dpbudget::loss_distribution
