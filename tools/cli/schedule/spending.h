/// @file
/// What a schedule spends, by rounds: as numbers, as a table, as JSON and as a figure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/sequence/accountant.h"
#include "dpbudget/fl/papers/chang_published.h"
#include "dpbudget/fl/schedule/noise_schedule.h"
#include "dpbudget/tools/cli/output/plot.h"

namespace dpbudget::tools {

/// One accountant's answers; `refusal` instead when it has none.
struct SpendingColumn {
  AccountantName accountant{};
  std::vector<Bound> epsilons;  ///< at each of the rounds
  std::optional<sequence::Reach> reach;
  std::string refusal;
};

/// A paper's claim for the same run.
struct PublishedSpending {
  fl::ChangScheme scheme{};
  fl::ChangRun run;                      ///< with 2 L / B = 1, so that its noise is a noise multiplier
  std::vector<Bound> epsilons;           ///< at each of the rounds
  std::optional<sequence::Reach> reach;  ///< of the budget, where there is one
};

/// A convergence bound of the same run.
struct UtilityColumn {
  std::string name;
  std::string says;                           ///< what it bounds, by whom, and what it is worth
  std::vector<std::optional<double>> totals;  ///< at each of the rounds; nothing where it has no answer
};

struct Spending {
  double delta;
  std::optional<double> epsilon;      ///< the budget
  std::vector<std::uint64_t> rounds;  ///< ascending
  std::vector<SpendingColumn> columns;
  std::optional<PublishedSpending> published;
  std::optional<UtilityColumn> utility = std::nullopt;

  /// The least proven epsilon after the last round; nothing when no accountant has one.
  std::optional<double> least() const;
};

/// Rounds from 1 to `last`, evenly, at which a curve is shown: at most 11 in a table, 41 in a figure.
std::vector<std::uint64_t> curve_rounds(std::uint64_t last, bool in_figure);

/// Asks every accountant of `names`.
/// @throws Unsupported when none of them answers
Spending spending(const sequence::Sequence& sequence, const std::vector<AccountantName>& names,
                  std::vector<std::uint64_t> rounds, double delta, std::optional<double> epsilon, double tolerance);

/// Evaluates the claim at the spending's rounds, and finds where it exhausts `epsilon`.
PublishedSpending published(fl::ChangScheme scheme, const fl::ChangRun& run, const std::vector<std::uint64_t>& rounds,
                            double delta, std::optional<double> epsilon);

std::string spending_table(const Spending& spending, const fl::NoiseSchedule& schedule);
nlohmann::json spending_json(const Spending& spending, const fl::NoiseSchedule& schedule);

/// Noise and epsilon against rounds.
Plot spending_plot(const Spending& spending, const fl::NoiseSchedule& schedule);

}  // namespace dpbudget::tools
