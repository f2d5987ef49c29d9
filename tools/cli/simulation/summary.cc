#include "dpbudget/tools/cli/simulation/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/table.h"
#include "dpbudget/tools/cli/simulation/moments.h"
#include "dpbudget/tools/cli/simulation/optimality.h"
#include "dpbudget/tools/cli/simulation/scores.h"

namespace dpbudget::tools {
namespace {

bool all_measured(const std::vector<SeedRun>& runs, const std::string& name) {
  return std::ranges::all_of(runs, [&](const SeedRun& run) { return run.result.last.measured.contains(name); });
}

// One line in the place of many: their mean, in a band of their standard deviation. All have the same x.
Line mean_line(const std::vector<Line>& lines) {
  Line mean;
  mean.title = fmt::format("mean of {} seeds\n(band: standard deviation)", lines.size());
  mean.x = lines.front().x;
  for (std::size_t i = 0; i < mean.x.size(); ++i) {
    std::vector<double> values;
    for (const Line& line : lines) values.push_back(line.y[i]);
    const Moments found = moments(values);
    mean.y.push_back(found.mean);
    mean.low.push_back(found.mean - found.deviation);
    mean.high.push_back(found.mean + found.deviation);
  }
  return mean;
}

// @param value  of a run at one of its evaluations
Plot panel_of(const std::vector<SeedRun>& runs, const std::string& what, bool against_epsilon,
              const std::function<double(const SeedRun&, const fl::Metrics&)>& value) {
  const fl::SettledRun& first = runs.front().run;
  Plot plot;
  plot.title = fmt::format("{}: {}", first->algorithm, what);
  plot.x_label = against_epsilon
                     ? fmt::format("epsilon spent at delta {} (proven, {})", first->delta, to_string(first->budget_for))
                     : "rounds";
  plot.y_label = what;
  for (const SeedRun& run : runs) {
    Line line;
    line.title = fmt::format("seed {}", run.seed);
    for (std::size_t i = 0; i < run.result.history.size(); ++i) {
      line.x.push_back(against_epsilon ? run.spent[i] : static_cast<double>(run.result.history[i].round));
      line.y.push_back(value(run, run.result.history[i]));
    }
    plot.lines.push_back(std::move(line));
  }
  // Seeds that were interrupted, or that spent what their own draws make of it, are shown one by one.
  const auto is_like_first = [&](const Line& line) { return line.x == plot.lines.front().x; };
  if (plot.lines.size() > 1 && std::ranges::all_of(plot.lines, is_like_first)) plot.lines = {mean_line(plot.lines)};
  return plot;
}

}  // namespace

std::string summary_table(const std::vector<SeedRun>& runs) {
  const std::string& model = runs.front().run->model;
  std::vector<Row> rows{{"", "mean", "standard deviation"}};
  const auto add = [&](const std::string& name, const auto& value, const auto& text) {
    std::vector<double> values;
    for (const SeedRun& run : runs) values.push_back(value(run));
    const Moments found = moments(values);
    rows.push_back({name, text(found.mean), text(found.deviation)});
  };
  const auto number = [](double value) { return fmt::format("{:.5g}", value); };
  const auto score = [&](double value) { return score_text(model, value); };
  add("train loss", [](const SeedRun& run) { return run.result.last.train_loss; }, number);
  add(score_name(model), [](const SeedRun& run) { return run.result.last.test_score; }, score);
  add("  of the last tenth", [](const SeedRun& run) { return run.score_of_last_tenth(); }, score);
  if (std::ranges::all_of(runs, [](const SeedRun& run) { return run.relative_rmse(run.result.last).has_value(); }))
    add("relative RMSE", [](const SeedRun& run) { return run.relative_rmse(run.result.last).value(); }, number);
  for (const std::string& name : optimality_names())
    if (all_measured(runs, name))
      add(name, [&](const SeedRun& run) { return run.result.last.measured.at(name); }, number);
  if (runs.front().result.last.personal_score)
    add("clients' own models", [](const SeedRun& run) { return run.result.last.personal_score.value_or(0); }, score);
  return table(rows, {1, 2});
}

std::string plot_runs(const std::vector<SeedRun>& runs, const std::string& file) {
  const bool is_private = !runs.front().spent.empty();
  const bool is_proven =
      is_private && std::ranges::all_of(runs, [](const SeedRun& run) { return std::isfinite(run.spent.back()); });
  // A constant test target leaves nothing to be relative to; the errors themselves have the targets' unit squared.
  const bool is_relative =
      std::ranges::all_of(runs, [](const SeedRun& run) { return run.relative_rmse(run.result.last).has_value(); });
  const std::string& model = runs.front().run->model;
  const std::string score =
      is_relative && !measures_accuracy(model) ? "relative RMSE on the test records" : score_name(model);
  std::vector<Plot> panels;
  const auto add = [&](const std::string& what, bool against_epsilon, const auto& value) {
    panels.push_back(panel_of(runs, what, against_epsilon, value));
  };
  for (const bool against_epsilon : {false, true}) {
    if (against_epsilon && !is_proven) continue;
    add(score, against_epsilon, [&](const SeedRun& run, const fl::Metrics& metrics) {
      return is_relative ? run.relative_rmse(metrics).value() : metrics.test_score;
    });
    add("training loss", against_epsilon,
        [](const SeedRun& /*run*/, const fl::Metrics& metrics) { return metrics.train_loss; });
    if (all_measured(runs, "log10_gap"))
      add("log10(F - F*)", against_epsilon, [](const SeedRun& /*run*/, const fl::Metrics& metrics) {
        // Evaluations before a run was taken up need not have been measured: no point is drawn of them.
        const auto found = metrics.measured.find("log10_gap");
        return found == metrics.measured.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
      });
  }
  write_plots(panels, file);
  if (is_proven || !is_private) return file;
  return fmt::format("{}, against rounds only: nothing is proven against {}", file,
                     to_string(runs.front().run->budget_for));
}

}  // namespace dpbudget::tools
