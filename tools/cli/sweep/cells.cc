#include "dpbudget/tools/cli/sweep/cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/simulation/evaluation_row.h"
#include "dpbudget/tools/cli/simulation/scores.h"

namespace dpbudget::tools {
namespace {

std::optional<double> number_in(const nlohmann::json& row, const std::string& key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

void keep_largest(std::optional<double>& largest, std::optional<double> value) {
  if (value) largest = std::max(*value, largest.value_or(-std::numeric_limits<double>::infinity()));
}

// What a cell is judged by: its mean, as if more were better, where every run that was done has one.
std::optional<double> merit(const CellResult& cell, const Metric& metric) {
  const auto found = cell.metrics.find(metric.name);
  if (found == cell.metrics.end() || cell.diverged > 0) return std::nullopt;
  return metric.is_better_high ? found->second.mean : -found->second.mean;
}

void mark_efficient(std::vector<CellResult>& cells, const Metric& metric) {
  for (CellResult& cell : cells) {
    const auto own = merit(cell, metric);
    if (!own || !cell.epsilon) continue;
    cell.is_efficient = std::ranges::none_of(cells, [&](const CellResult& other) {
      const auto its = merit(other, metric);
      if (!its || !other.epsilon || *its < *own || *other.epsilon > *cell.epsilon) return false;
      return *its > *own || *other.epsilon < *cell.epsilon;
    });
  }
}

}  // namespace

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = {"test_score", "score_of_last_tenth", "personal_score", "relative_rmse",
                                                 "train_loss"};
  return names;
}

Metric metric_of(const std::string& name, const std::vector<SweepCell>& cells) {
  require(std::ranges::find(metric_names(), name) != metric_names().end(), "--metric", name,
          fmt::format("one of {}", fmt::join(metric_names(), ", ")));
  if (name == "train_loss" || name == "relative_rmse") return {name, false};
  const bool is_accuracy = measures_accuracy(cells.front().request.model);
  for (const SweepCell& cell : cells)
    require(measures_accuracy(cell.request.model) == is_accuracy, "--grid", cell.request.model,
            "of models whose scores compare");
  return {name, is_accuracy};
}

std::vector<CellResult> results_of(const std::vector<SweepCell>& cells, const std::vector<SweepRun>& runs,
                                   const std::map<std::string, nlohmann::json>& rows, const Metric& metric) {
  std::vector<CellResult> results(cells.size());
  std::vector<std::map<std::string, std::vector<double>>> found(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) results[i].values = cells[i].values;
  for (const SweepRun& run : runs) {
    const auto entry = rows.find(run.name);
    if (entry == rows.end()) continue;
    const nlohmann::json& row = entry->second;
    CellResult& cell = results[run.cell];
    ++cell.done;
    if (row.value("diverged", false)) {
      ++cell.diverged;
      continue;
    }
    if (!row.value("verified", false)) ++cell.unverified;
    keep_largest(cell.noise, number_in(row, "noise"));
    keep_largest(cell.epsilon, number_in(row, epsilon_column(run.request.budget_for)));
    for (const std::string& name : metric_names())
      if (const auto value = number_in(row, name)) found[run.cell][name].push_back(*value);
  }
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (const auto& [name, values] : found[i]) results[i].metrics.emplace(name, moments(values));
  mark_efficient(results, metric);
  return results;
}

}  // namespace dpbudget::tools
