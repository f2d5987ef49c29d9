/// @file
/// What an algorithm's paper claims of its privacy.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// The claims of one paper. These themselves claim nothing.
class Claims {
 public:
  virtual ~Claims() = default;

  /// What the paper claims that `run`, which passes `check` and adds noise, releases about one client;
  /// nothing when it claims nothing about that adversary. Adjacency is replace_one.
  virtual std::optional<AdversaryPlan> published(const SettledRun& /*run*/, const Sizes& /*sizes*/,
                                                 Adversary /*adversary*/) const {
    return std::nullopt;
  }

  /// epsilon of that claim by the paper's own arithmetic.
  /// @return nothing when the paper has none beyond what the claim's plan costs
  virtual std::optional<double> published_epsilon(const SettledRun& /*run*/, const Sizes& /*sizes*/,
                                                  Adversary /*adversary*/, double /*delta*/) const {
    return std::nullopt;
  }

  /// The noise multiplier that the paper prescribes for a silo's own budget over the run's rounds.
  /// @return nothing where it prescribes none, or its preconditions fail
  virtual std::optional<double> published_noise(const SettledRun& /*run*/, const Sizes& /*sizes*/,
                                                Adversary /*adversary*/, double /*epsilon*/, double /*delta*/) const {
    return std::nullopt;
  }

  /// The largest number of released rounds that the paper's arithmetic allows at (epsilon, delta).
  /// @return nothing when it is found by trying `published_epsilon`, or there is no such arithmetic
  virtual std::optional<std::uint64_t> published_rounds(const SettledRun& /*run*/, const Sizes& /*sizes*/,
                                                        Adversary /*adversary*/, double /*epsilon*/,
                                                        double /*delta*/) const {
    return std::nullopt;
  }
};

}  // namespace dpbudget::fl
