#include "dpbudget/tools/cli/sweep/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/tools/cli/options/run_options.h"
#include "dpbudget/tools/cli/output/plot.h"

namespace dpbudget::tools {
namespace {

constexpr std::string_view by_epsilon = "epsilon";

std::optional<std::size_t> axis_named(const std::vector<GridAxis>& axes, const std::string& key) {
  const auto found = std::ranges::find(axes, key, &GridAxis::key);
  return found == axes.end() ? std::nullopt : std::optional<std::size_t>(found - axes.begin());
}

// The axis along which epsilon changes, of several the one with the most values; the last where none does.
std::size_t axis_of_epsilon(const std::vector<GridAxis>& axes, const std::vector<CellResult>& cells) {
  std::size_t chosen = axes.size() - 1;
  std::size_t most = 1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::map<std::vector<std::string>, std::set<double>> spent;
    for (const CellResult& cell : cells) {
      if (!cell.epsilon) continue;
      std::vector<std::string> others = cell.values;
      others[axis].clear();
      spent[others].insert(*cell.epsilon);
    }
    for (const auto& [others, epsilons] : spent)
      if (epsilons.size() > most) {
        most = epsilons.size();
        chosen = axis;
      }
  }
  return chosen;
}

std::string title_of(const std::vector<GridAxis>& axes, const std::vector<std::string>& values, std::size_t but) {
  std::string title;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (i != but) title += fmt::format("{}{} {}", title.empty() ? "" : ", ", axes[i].key, values[i]);
  return title;
}

struct Point {
  double x;
  Moments y;
};

Line line_of(std::string title, std::vector<Point> points) {
  std::ranges::sort(points, {}, &Point::x);
  Line line;
  line.title = std::move(title);
  const bool has_band = std::ranges::any_of(points, [](const Point& point) { return point.y.deviation > 0; });
  for (const auto& [x, y] : points) {
    line.x.push_back(x);
    line.y.push_back(y.mean);
    if (!has_band) continue;
    line.low.push_back(y.mean - y.deviation);
    line.high.push_back(y.mean + y.deviation);
  }
  return line;
}

std::string epsilon_label(const std::string& adversary) { return fmt::format("epsilon (proven, {})", adversary); }

bool spans_decades(const std::vector<Line>& lines) {
  double least = infinity;
  double most = 0;
  for (const Line& line : lines)
    for (const double x : line.x) {
      least = std::min(least, x);
      most = std::max(most, x);
    }
  return least > 0 && most / least >= 20;
}

Plot metric_panel(const std::vector<GridAxis>& axes, const std::vector<CellResult>& cells, const Metric& metric,
                  const std::string& against, const std::string& adversary) {
  const bool is_by_epsilon = against == by_epsilon && !axis_named(axes, against);
  const std::size_t along =
      is_by_epsilon && !axes.empty() ? axis_of_epsilon(axes, cells) : axis_named(axes, against).value_or(0);
  std::map<std::string, std::vector<Point>> lines;
  std::vector<std::string> order;
  for (const CellResult& cell : cells) {
    const auto found = cell.metrics.find(metric.name);
    if (found == cell.metrics.end() || (is_by_epsilon && !cell.epsilon)) continue;
    const double x = is_by_epsilon ? *cell.epsilon : read_number("--against", cell.values[along]);
    const std::string title = title_of(axes, cell.values, along);
    if (!lines.contains(title)) order.push_back(title);
    lines[title].push_back({x, found->second});
  }
  Plot plot;
  plot.title = fmt::format("{} against {}", metric.name, against);
  plot.x_label = is_by_epsilon ? epsilon_label(adversary) : against;
  plot.y_label = metric.name + ", mean over seeds (band: standard deviation)";
  for (const std::string& title : order) plot.lines.push_back(line_of(title, lines[title]));
  plot.has_log_x = spans_decades(plot.lines);
  return plot;
}

Plot front_panel(const std::vector<CellResult>& cells, const Metric& metric, const std::string& adversary) {
  Line all;
  all.title = "all cells";
  all.stroke = Stroke::points;
  std::vector<Point> front;
  for (const CellResult& cell : cells) {
    const auto found = cell.metrics.find(metric.name);
    if (found == cell.metrics.end() || !cell.epsilon) continue;
    all.x.push_back(*cell.epsilon);
    all.y.push_back(found->second.mean);
    if (cell.is_efficient) front.push_back({*cell.epsilon, {found->second.mean, 0}});
  }
  Plot plot;
  plot.title = fmt::format("{} and epsilon: no cell is better than the front in both", metric.name);
  plot.x_label = epsilon_label(adversary);
  plot.y_label = metric.name + ", mean over seeds";
  plot.lines = {line_of("Pareto front", std::move(front)), std::move(all)};
  plot.has_log_x = spans_decades({plot.lines.back()});
  return plot;
}

}  // namespace

void check_against(const std::string& against, const std::vector<GridAxis>& axes) {
  const auto axis = axis_named(axes, against);
  require(axis || against == by_epsilon, "--against", against, "epsilon or an option that --grid has");
  if (!axis) return;
  try {
    for (const std::string& value : axes[*axis].values) read_number("--against", value);
  } catch (const InvalidArgument&) {
    throw InvalidArgument(
        fmt::format("--against is {}, but must be epsilon or an option whose values are numbers", against));
  }
}

void draw_sweep(const std::vector<GridAxis>& axes, const std::vector<CellResult>& cells, const Metric& metric,
                const std::string& against, const std::string& adversary, const std::string& file) {
  std::vector<Plot> panels{metric_panel(axes, cells, metric, against, adversary)};
  require(!panels.front().lines.empty(), "--against", against,
          against == by_epsilon ? "something else: nothing is proven of these runs, or none has this metric"
                                : "something else: no run has this metric");
  Plot front = front_panel(cells, metric, adversary);
  if (!front.lines.back().x.empty()) panels.push_back(std::move(front));
  write_plots(panels, file);
}

}  // namespace dpbudget::tools
