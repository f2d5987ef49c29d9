/// @file
/// The losses of a release on a batch, of which one sees how often what is changed is in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "dpbudget/accounting/loss_distribution/releases/mixture.h"
#include "dpbudget/accounting/plan/copies.h"

namespace dpbudget::loss_distribution {

/// Of what is told of rare numbers of copies no more is left out, however rare they are.
inline constexpr double most_of_tail = 1e-9;

/// @param tail    as Cut::tail; all together leave out twice that at most
/// @param losses  of so many copies that may leave out so much themselves: Pieces, or nothing, as then is the result
/// @source accounting/plan/proofs.md, 2.1 and 4.1; accounting/loss_distribution/proofs.md, 4f.1
template <class Losses>
std::optional<Pieces> mixed_over(const Occurrences& law, double tail, const Losses& losses) {
  const TimesDrawn times = times_drawn(law, tail);
  Mixture mixed(times.error);
  for (const DrawnTimes& drawn : times.kinds) {
    // What is rare need not be known as far.
    const double share = std::max(1.0, 1 / (drawn.probability * static_cast<double>(times.kinds.size())));
    const std::optional<Pieces> found = losses(drawn.copies, std::min(tail * share, std::max(tail, most_of_tail)));
    if (!found) return std::nullopt;
    mixed.add(drawn.probability, *found);
  }
  // Where there are more copies than counted all is told.
  Pieces all = std::move(mixed).pieces();
  all.p_above += times.beyond;
  all.q_below += times.beyond;
  return all;
}

}  // namespace dpbudget::loss_distribution
