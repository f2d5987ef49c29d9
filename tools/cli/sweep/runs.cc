#include "dpbudget/tools/cli/sweep/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/hash.h"
#include "dpbudget/fl/run/fields.h"

namespace dpbudget::tools {
namespace {

// As it was asked for, infinity and nothing included.
template <class Value>
std::string asked_text(const Value& value) {
  if constexpr (Named<Value>)
    return std::string(to_string(value));
  else if constexpr (requires { value.has_value(); })
    return value ? asked_text(*value) : "-";
  else if constexpr (std::same_as<Value, std::vector<double>>)
    return nlohmann::json(value).dump();
  else if constexpr (std::same_as<Value, fl::Standardised>)
    return fmt::format("{}", static_cast<int>(value));
  else
    return fmt::format("{}", value);
}

nlohmann::json asked_of(const fl::RunRequest& run, const DataOptions& data) {
  nlohmann::json asked = nlohmann::json::object();
  fl::visit_fields(run, [&](const auto& field, const auto& value) {
    asked[field.key] = field.asked != nullptr && run.*field.asked ? "?" : asked_text(value);
  });
  for (const auto& [key, value] : run.options) asked[key] = fl::text_of(value);
  // All of a recipe but its seed, which is data_seed or the run's.
  const auto& [source, partition, users, records, seed, standardised, components, normalised, radius, equal_sizes] =
      data.recipe;
  const auto add = [&](const char* key, const auto& value) { asked["data"][key] = asked_text(value); };
  add("source", source);
  add("partition", partition);
  add("users", users);
  add("records", records);
  add("standardised", standardised);
  add("components", components);
  add("normalised", normalised);
  add("radius", radius);
  add("equal_sizes", equal_sizes);
  add("similarity", data.similarity);
  add("data_seed", data.data_seed);
  return asked;
}

}  // namespace

std::vector<SweepCell> cells_of(const Command& command, const std::vector<GridAxis>& axes, fl::RunRequest& run,
                                DataOptions& data) {
  const fl::RunRequest base_run = run;
  const DataOptions base_data = data;
  std::vector<SweepCell> cells;
  for_each_combination(
      command, axes,
      [&] {
        run = base_run;
        data = base_data;
      },
      [&](std::vector<std::string> values) { cells.push_back({std::move(values), run, data}); });
  run = base_run;
  data = base_data;
  return cells;
}

std::vector<SweepRun> runs_of(const std::vector<SweepCell>& cells, std::uint64_t seeds) {
  constexpr std::uint64_t most = 1'000'000;
  require(1 <= seeds && seeds <= most / cells.size(), "--seeds", seeds,
          fmt::format("in [1, {}], with {} cells", most / cells.size(), cells.size()));
  std::vector<SweepRun> runs;
  std::map<std::string, std::size_t> cell_of;
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    for (std::uint64_t i = 0; i < seeds; ++i) {
      SweepRun run{cell, cells[cell].request, {}};
      run.request.seed += i;
      const std::string asked = asked_of(run.request, cells[cell].data).dump();
      fl::Hash hash;
      hash.add(std::span(asked.data(), asked.size()));
      run.name = fmt::format("{:016x}", hash.value());
      // As of the values 1 and 1.0.
      const auto [same, is_new] = cell_of.emplace(run.name, cell);
      if (!is_new)
        throw InvalidArgument(fmt::format("--grid gives one run twice, with seed {}: as {}, and as {}",
                                          run.request.seed, fmt::join(cells[same->second].values, ", "),
                                          fmt::join(cells[cell].values, ", ")));
      runs.push_back(std::move(run));
    }
  return runs;
}

Shard read_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  require(slash != std::string::npos, "--shard", text, "INDEX/COUNT, as 3/16");
  const Shard shard{read_count("--shard", text.substr(0, slash)), read_count("--shard", text.substr(slash + 1))};
  require(1 <= shard.index && shard.index <= shard.count, "--shard", text, "INDEX/COUNT with INDEX in [1, COUNT]");
  return shard;
}

}  // namespace dpbudget::tools
