/// @file
/// What `compare` draws.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/tools/cli/compare/comparison.h"
#include "dpbudget/tools/cli/output/plot.h"

namespace dpbudget::tools {

/// The answers at several numbers of rounds.
struct RoundsCurve {
  Question question{};
  std::vector<std::uint64_t> rounds;
  std::vector<std::vector<Answer>> answers;  ///< for each number of rounds
};

/// Numbers from `first` to `last`, both included, at most `most` of them, in about equal ratios.
std::vector<std::uint64_t> spread_rounds(std::uint64_t first, std::uint64_t last, std::size_t most);

RoundsCurve rounds_curve(Comparison& comparison, const Question& question, std::vector<std::uint64_t> rounds);

// Logarithmic axes leave out what is not positive: a plot may have no lines.

/// The answer against the number of rounds, one line an accountant, and the proven lower end.
Plot rounds_plot(const RoundsCurve& curve);

/// delta against epsilon, from 0 to `largest_epsilon`.
Plot profile_plot(Comparison& comparison, double largest_epsilon);

/// Type II against type I errors, from delta at epsilons up to `largest_epsilon`.
Plot trade_off_plot(Comparison& comparison, double largest_epsilon);

}  // namespace dpbudget::tools
