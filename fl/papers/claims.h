/// @file
/// What an algorithm's paper claims of its privacy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/fl/run/adversary.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// A figure that a paper states of a run beside its claim, by another statement or another reading of it.
struct Stated {
  std::string source;
  double epsilon;       ///< infinite where nothing is said at that delta
  double delta;         ///< that goes with it
  Guarantee guarantee;  ///< whether it is proven
  std::vector<std::string> notes = {};
};

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

  /// Why `published` has nothing, in words.
  virtual std::string silence(const SettledRun& /*run*/, const Sizes& /*sizes*/, Adversary /*adversary*/) const {
    return "the algorithm has no paper";
  }

  /// What the paper states besides.
  virtual std::vector<Stated> stated(const SettledRun& /*run*/, const Sizes& /*sizes*/, Adversary /*adversary*/,
                                     double /*delta*/) const {
    return {};
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
