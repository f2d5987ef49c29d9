/// @file
/// The Rényi curve of a release on a batch that is drawn with replacement.
#pragma once

#include <cstdint>
#include <functional>

#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// The most draws: each number of times that a record may be drawn is a term of the moment, and seldom so the first
/// ones alone, because the divergence of k copies grows faster than their probability falls.
inline constexpr std::uint64_t most_draws = 4096;

/// The curve of k copies of a record, whose place in the batch is known or the release of a sample at `rate`.
struct CurvesOfCopies {
  std::function<CurvePtr(std::uint64_t copies)> known;
  std::function<CurvePtr(std::uint64_t copies, double rate)> sampled;
};

/// The moment is the mean over k, how often the record is drawn given that it is, of the moment of k copies in a sample
/// without replacement at the rate q with which the record is drawn at all; of rare k it is that of `known`, which is
/// larger. Adjacency: replace_one.
/// @param draws  known, at most `most_draws`
/// @source accounting/plan/proofs.md, 2.2
CurvePtr with_replacement_curve(const Draws& draws, const CurvesOfCopies& curves);

}  // namespace dpbudget::renyi
