/// @file
/// The losses of a release on a batch of limited size, of which one sees whether other records fill it.
#pragma once

#include <optional>
#include <utility>

#include "dpbudget/accounting/loss_distribution/releases/mixture.h"
#include "dpbudget/accounting/plan/truncated.h"

namespace dpbudget::loss_distribution {

/// @param unfilled  the losses where others do not fill the batch, at the record's rate then: Pieces, or nothing
/// @param filled    where they do, at the record's rate then
/// @return nothing where one of them is
/// @source accounting/plan/proofs.md, 5.1; accounting/loss_distribution/proofs.md, 4f.1
template <class Unfilled, class Filled>
std::optional<Pieces> truncated_pieces(const TruncatedSample& sample, const Unfilled& unfilled, const Filled& filled) {
  Mixture mixed(sample.error);
  if (sample.unfilled > 0) {
    const std::optional<Pieces> found = unfilled(sample.rate);
    if (!found) return std::nullopt;
    mixed.add(sample.unfilled, *found);
  }
  if (sample.filled > 0) {
    const std::optional<Pieces> found = filled(sample.rate_filled);
    if (!found) return std::nullopt;
    mixed.add(sample.filled, *found);
  }
  return std::move(mixed).pieces();
}

}  // namespace dpbudget::loss_distribution
