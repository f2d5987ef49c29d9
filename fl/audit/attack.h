/// @file
/// A test of which canaries were in, chosen on pilot runs and then counted on others.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/audit/estimate.h"

namespace dpbudget::fl {

/// How epsilon is bounded by what the attack got right.
enum class Estimator {
  test,     ///< true- and false-positive rates of independent trials, by Clopper and Pearson
  guesses,  ///< correct guesses, which may depend on each other within a run, by Steinke, Nasr and Jagielski
};

/// What an attack makes of one canary: the higher the score, the likelier it was in.
struct Scored {
  double score;
  bool is_in;
};

/// A test says "in" from a score on. Guesses are so many, the half with the highest scores "in" and the half with the
/// lowest "out": how many there are must not depend on what is seen (fl/audit/proofs.md, 1.2).
struct Strategy {
  Estimator estimator = Estimator::guesses;
  double threshold = 0;
  std::uint64_t guesses = 0;
};

/// Trials of an audit at most, for every score is kept.
inline constexpr std::uint64_t most_trials = 20'000'000;

/// What is asked of an audit.
struct AuditRequest {
  std::uint64_t runs = 1000;
  std::uint64_t canaries = 100;  ///< in each run
  double delta = 1e-5;           ///< in [0, 1)
  double confidence = 0.95;      ///< in (0, 1)
  std::uint64_t seed = 1;

  std::uint64_t trials() const { return runs * canaries; }
  /// Runs that the attacker makes for itself beforehand: a quarter as many, at least one.
  std::uint64_t pilot_runs() const { return (runs + 3) / 4; }
};

/// @throws InvalidArgument naming runs, canaries (together at most most_trials), delta or confidence
void check(const AuditRequest& request);

/// What came of an attack.
struct Attacked {
  double epsilon;  ///< at least this, at the confidence asked for
  Strategy strategy;
  TestCounts test{};      ///< of Estimator::test
  GuessCounts guesses{};  ///< of Estimator::guesses
};

/// The strategy that would give most on `pilot`, scaled to the trials asked for.
/// @param pilot     at least one
/// @param may_test  whether trials are independent of each other (fl/audit/proofs.md, 1.1)
Strategy chosen_strategy(std::vector<Scored> pilot, const AuditRequest& request, bool may_test);

/// The strategy on scores that had no part in choosing it.
/// @param scores  at least as many as it guesses
Attacked attacked(const Strategy& strategy, std::vector<Scored> scores, const AuditRequest& request);

}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::Estimator> {
  static constexpr NameTable<fl::Estimator, 2> all{
      {{fl::Estimator::test, "test"}, {fl::Estimator::guesses, "guesses"}}};
};

}  // namespace dpbudget
