#include "dpbudget/tools/cli/sweep/train.h"

#include <chrono>

#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/verify/verify.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/report_output.h"
#include "dpbudget/tools/cli/simulation/evaluation_row.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"
#include "dpbudget/tools/cli/simulation/simulation.h"
#include "dpbudget/tools/cli/simulation/temporary_ledger.h"

namespace dpbudget::tools {
namespace {

// A number where it is one, so that tables hold numbers.
nlohmann::json value_json(const std::string& text) {
  nlohmann::json number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? number : nlohmann::json(text);
}

nlohmann::json row_of(const SeedRun& done) {
  nlohmann::json row = EvaluationRow(done)(done.result.last);
  row["score_of_last_tenth"] = json_number(done.score_of_last_tenth());
  const fl::Report report = fl::verify(done.ledger, done.run->delta);
  row["verified"] = is_inside(report, {std::nullopt, done.run->budget_for});
  row["diverged"] = false;
  return row;
}

}  // namespace

std::optional<nlohmann::json> train(const SweepRun& run, const SweepCell& cell, const std::vector<GridAxis>& axes,
                                    const std::string& ledger) {
  const auto began = std::chrono::steady_clock::now();
  const TemporaryLedger temporary;
  SimulationFiles files;
  files.ledger = ledger.empty() ? temporary.path().string() : ledger;
  nlohmann::json row;
  try {
    const SeedRun done = simulate_seed(run.request, cell.data, files, false, Seen::nothing);
    if (was_interrupted()) return std::nullopt;
    row = row_of(done);
  } catch (const fl::Diverged&) {
    row = {{"seed", run.request.seed}, {"algorithm", run.request.algorithm}, {"diverged", true}};
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (!row.contains(axes[i].key)) row[axes[i].key] = value_json(cell.values[i]);
  row["run"] = run.name;
  row["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return row;
}

}  // namespace dpbudget::tools
