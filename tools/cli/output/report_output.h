/// @file
/// A verification report, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/verify/verify.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {

/// What a run may spend, and against whom, besides a budget of its own.
struct Budget {
  std::optional<double> epsilon;  ///< absent: only the checks decide, of which the run's own budget is one
  fl::Adversary adversary;        ///< whose view of what was executed is shown, too
};

/// Whether the ledger verifies and, where a budget is given, what was executed is proven to be inside it.
bool is_inside(const fl::Report& report, const Budget& budget);

/// What each adversary is said to learn, planned and executed; what was checked. Headings first.
std::vector<Row> view_rows(const fl::Report& report);
std::vector<Row> check_rows(const fl::Report& report);

/// The notes, each once.
std::vector<std::string> notes_of(const fl::Report& report);

/// In one sentence.
std::string verdict_text(const fl::Report& report, const Budget& budget);

std::string report_text(const fl::Report& report, const Budget& budget);
nlohmann::json report_json(const fl::Report& report, const Budget& budget);

}  // namespace dpbudget::tools
