/// @file
/// Pieces that take long to find and that several meshes, sides, directions and questions ask for.
#pragma once

#include <functional>
#include <optional>

#include "dpbudget/accounting/loss_distribution/pieces/pair.h"
#include "dpbudget/accounting/loss_distribution/pieces/pieces.h"
#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::loss_distribution {

/// A Gaussian in a sample.
struct SampledGaussian {
  enum class Sampling { poisson, without_replacement };
  Sampling sampling;
  double rate;
  double noise_multiplier;
  Cut cut;
  friend bool operator==(const SampledGaussian&, const SampledGaussian&) = default;
};

/// Shuffled reports, by a pair of theirs.
struct ShuffledReports {
  enum class Law { upper_clones, lower_clones, hidden_pair, blanket, responses };
  Law law;
  Shuffled event;
  Cut cut;  ///< with a step of 1 where they have no use for it
  friend bool operator==(const ShuffledReports&, const ShuffledReports&) = default;
};

/// What is dealt into one of many steps.
struct DealtRelease {
  RandomlyAllocated event;
  Adjacency adjacency;
  Side side;
  Pair pair;
  Cut cut;
  friend bool operator==(const DealtRelease&, const DealtRelease&) = default;
};

/// What `make` gives, or gave to the calling thread lately: what is kept outlives the question, and so is never much.
/// @param make  gives the same for the same `asked`
Pieces kept_pieces(const SampledGaussian& asked, const std::function<Pieces()>& make);
/// The same.
Pieces kept_pieces(const ShuffledReports& asked, const std::function<Pieces()>& make);
/// The same, of what may be no pieces.
std::optional<Pieces> kept_pieces(const DealtRelease& asked, const std::function<std::optional<Pieces>()>& make);

}  // namespace dpbudget::loss_distribution
