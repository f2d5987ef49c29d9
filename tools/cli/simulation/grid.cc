#include "dpbudget/tools/cli/simulation/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/split.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/known_options.h"
#include "dpbudget/tools/cli/options/run_options.h"

namespace dpbudget::tools {
namespace {

std::vector<std::string> keys_of_runs() {
  std::vector<std::string> keys;
  const fl::RunRequest run;
  fl::visit_fields(run, [&](const auto& field, const auto&) { keys.emplace_back(field.key); });
  for (const fl::KnownOption& option : fl::known_options()) keys.push_back(option.info().key);
  return keys;
}

GridKeys all_but(std::vector<std::string> keys, std::vector<std::string> same_for_all) {
  std::erase_if(keys,
                [&](const std::string& key) { return std::ranges::find(same_for_all, key) != same_for_all.end(); });
  return {std::move(keys), std::move(same_for_all)};
}

GridAxis read_axis(std::string_view text, const GridKeys& allowed) {
  const std::size_t equals = text.find('=');
  std::string key(trimmed(text.substr(0, equals)));
  std::ranges::replace(key, '-', '_');
  if (equals == std::string_view::npos || key.empty())
    throw InvalidArgument(fmt::format("--grid has `{}`, but must be OPTION=VALUE,VALUE,...", text));
  if (std::ranges::find(allowed.same_for_all, key) != allowed.same_for_all.end())
    throw InvalidArgument(fmt::format("--grid has {}, which must be the same for all runs", key));
  if (std::ranges::find(allowed.keys, key) == allowed.keys.end())
    throw InvalidArgument(
        fmt::format("--grid has {}, which is no option of a run; the nearest is {}", key, nearest(key, allowed.keys)));
  GridAxis axis{key, {}};
  const std::string_view list = text.substr(equals + 1);
  for (const std::string_view part : split(list, list.find('|') == std::string_view::npos ? ',' : '|')) {
    const std::string_view value = trimmed(part);
    if (value.empty()) throw InvalidArgument(fmt::format("--grid gives {} a value that is empty", key));
    if (std::ranges::find(axis.values, value) != axis.values.end())
      throw InvalidArgument(fmt::format("--grid gives {} the value {} twice", key, value));
    axis.values.emplace_back(value);
  }
  return axis;
}

bool has_axis(const std::vector<GridAxis>& axes, std::string_view key) {
  return std::ranges::find(axes, key, &GridAxis::key) != axes.end();
}

void refuse_unheard(const Command& command, const std::vector<GridAxis>& axes) {
  const auto is_given = [&](const std::string& key) { return command.find(flag_of(key)).value().is_given(); };
  for (const GridAxis& axis : axes)
    if (is_given(axis.key))
      throw InvalidArgument(fmt::format("{} is given, but --grid has {}, too", flag_of(axis.key), axis.key));
  for (const auto& [unheard, heard] : {std::pair{"noise", "silo_noise"}, {"record_rate", "batch_size"}}) {
    const bool has_unheard = has_axis(axes, unheard);
    if ((has_unheard && (is_given(heard) || has_axis(axes, heard))) || (is_given(unheard) && has_axis(axes, heard)))
      throw InvalidArgument(fmt::format("--grid: {} has no effect beside {}", unheard, heard));
  }
}

}  // namespace

GridKeys keys_of_one_budget() {
  return all_but(keys_of_runs(), {"seed", "delta", "adversary", "evaluate_every", "evaluate_clients", "silo_epsilon",
                                  "silo_delta", "client_weights", "silo_noise"});
}

GridKeys keys_of_all(const std::vector<std::string>& data) {
  std::vector<std::string> keys = keys_of_runs();
  for (std::string name : data) {
    std::ranges::replace(name, '-', '_');
    keys.push_back(std::move(name));
  }
  return all_but(std::move(keys), {"seed"});
}

void read_grid(std::string_view text, const GridKeys& allowed, std::vector<GridAxis>& axes) {
  for (const std::string_view part : split(text, ';')) {
    GridAxis axis = read_axis(trimmed(part), allowed);
    if (has_axis(axes, axis.key)) throw InvalidArgument(fmt::format("--grid has {} twice", axis.key));
    axes.push_back(std::move(axis));
  }
}

void for_each_combination(const Command& command, const std::vector<GridAxis>& axes, const std::function<void()>& reset,
                          const std::function<void(std::vector<std::string>)>& take) {
  constexpr std::size_t most = 100'000;
  refuse_unheard(command, axes);
  std::size_t count = 1;
  for (const GridAxis& axis : axes) {
    count *= std::min(axis.values.size(), most + 1);
    require(count <= most, "--grid", "too many combinations", fmt::format("at most {} of them", most));
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> values(axes.size());
    std::size_t rest = i;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      values[axis] = axes[axis].values[rest % axes[axis].values.size()];
      rest /= axes[axis].values.size();
    }
    reset();
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      command.find(flag_of(axes[axis].key)).value().read(values[axis]);
    take(std::move(values));
  }
}

std::vector<Combination> combinations(const Command& command, const std::vector<GridAxis>& axes, fl::RunRequest& run) {
  const fl::RunRequest base = run;
  std::vector<Combination> all;
  for_each_combination(
      command, axes, [&] { run = base; },
      [&](std::vector<std::string> values) { all.push_back({std::move(values), run}); });
  return all;
}

}  // namespace dpbudget::tools
