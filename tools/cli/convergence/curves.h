/// @file
/// What is known of an algorithm's convergence, by rounds: as numbers, as a table, as JSON and as a figure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/convergence/analysis.h"
#include "dpbudget/tools/cli/eval/convergence.h"
#include "dpbudget/tools/cli/output/plot.h"

namespace dpbudget::tools {

/// One statement at each of the rounds.
struct ConvergenceCurve {
  const Statement* statement;
  std::vector<std::optional<Evaluation>> at;  ///< nothing where a precondition fails
  std::string refusal;                        ///< of the last round where one does; empty where none does

  bool has_answer() const;
};

struct Convergence {
  std::vector<std::uint64_t> rounds;  ///< ascending
  std::vector<ConvergenceCurve> curves;
};

/// Constants as a person lists them, "smoothness=2,distance=1", as a JSON object.
/// @throws InvalidArgument naming --constants, with what is no constant or no number
nlohmann::json read_constants(const std::string& text);

/// Every statement about such algorithms.
/// @param constants  a JSON object
/// @throws InvalidArgument when none of them has an answer, with the first one's reason, or naming a constant that all
///         of them answer without
Convergence convergence(fl::Analysis analysis, const nlohmann::json& constants, std::vector<std::uint64_t> rounds);

/// A table for each statement, then what is refused and why.
std::string convergence_text(const Convergence& found);
nlohmann::json convergence_json(const Convergence& found);

/// Totals against rounds.
Plot convergence_plot(const Convergence& found);

}  // namespace dpbudget::tools
