#include "dpbudget/fl/data/recipe.h"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/cifar.h"
#include "dpbudget/fl/data/csv.h"
#include "dpbudget/fl/data/idx.h"
#include "dpbudget/fl/data/partition_by_name.h"
#include "dpbudget/fl/data/pca.h"
#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/synthetic.h"

namespace dpbudget::fl {
namespace {

constexpr std::uint64_t default_records = Synthetic().records_per_user;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
  }
  return parts;
}

// The source, taken apart at the colon.
struct Source {
  Source(std::string_view called, std::string given) : name(called), text(std::move(given)) {
    const std::size_t colon = text.find(':');
    kind = text.substr(0, colon);
    if (colon != std::string::npos) rest = text.substr(colon + 1);
  }

  [[noreturn]] void refuse() const {
    throw InvalidArgument(
        fmt::format("{} is {}, but must be synthetic:ALPHA,BETA[,power-law], idx:IMAGES,LABELS, "
                    "csv:FILE,target=NAME[,categorical=A|B|...][,one-hot] or cifar:FILE",
                    name, text));
  }

  std::string name;
  std::string text;
  std::string kind;
  std::string rest;
};

FederatedData load_synthetic(const DataRecipe& recipe, const Source& source) {
  const std::vector<std::string> parts = split(source.rest, ',');
  const bool power_law = parts.size() == 3 && parts[2] == "power-law";
  if (parts.size() != 2 && !power_law) source.refuse();
  const double alpha = read_number("alpha of " + source.name, parts[0]);
  const double beta = read_number("beta of " + source.name, parts[1]);
  require(recipe.partition.empty(), "partition", recipe.partition, "left out for synthetic data");
  if (power_law && recipe.records)
    require(false, "records", *recipe.records, "left out for sizes that obey a power law");
  return synthetic({.alpha = alpha,
                    .beta = beta,
                    .users = recipe.users.value_or(default_users),
                    .records_per_user = recipe.records.value_or(default_records),
                    .seed = recipe.seed,
                    .sizes = power_law ? SyntheticSizes::power_law : SyntheticSizes::equal});
}

FederatedData divided(const DataRecipe& recipe, const Dataset& all) {
  const std::string own = all.targets.empty() ? "similarity:0" : "sorted";
  return federate_by_name(all, recipe.partition.empty() ? own : recipe.partition, recipe.users, recipe.seed);
}

Dataset load_images(const Source& source) {
  const std::size_t comma = source.rest.find(',');
  if (comma == std::string::npos) source.refuse();
  return load_idx(source.rest.substr(0, comma), source.rest.substr(comma + 1));
}

CsvTable load_table(const Source& source) {
  const std::vector<std::string> parts = split(source.rest, ',');
  CsvColumns columns;
  bool has_target = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    constexpr std::string_view target = "target=";
    constexpr std::string_view categorical = "categorical=";
    if (parts[i].starts_with(target) && !has_target) {
      columns.target = parts[i].substr(target.size());
      has_target = true;
    } else if (parts[i].starts_with(categorical) && columns.categorical.empty()) {
      columns.categorical = split(std::string_view(parts[i]).substr(categorical.size()), '|');
    } else if (parts[i] == "one-hot" && !columns.one_hot) {
      columns.one_hot = true;
    } else {
      source.refuse();
    }
  }
  if (!has_target) source.refuse();
  return load_csv(parts[0], columns);
}

void scale(const DataRecipe& recipe, Standardised standardised, std::span<const Eigen::Index> numeric, bool normalised,
           FederatedData& data) {
  if (standardised == Standardised::all) standardise(data);
  if (standardised == Standardised::numeric) standardise(data, numeric);
  if (recipe.components) project_on_components(data, *recipe.components);
  if (normalised) normalise_records(data);
}

}  // namespace

std::vector<std::string> files_of(const std::string& text) {
  const Source source("source", text);
  const std::size_t comma = source.rest.find(',');
  const std::string first = source.rest.substr(0, comma);
  if (source.kind == "csv") return {first};
  if (source.kind == "cifar") return {source.rest};
  if (source.kind == "idx" && comma != std::string::npos) return {first, source.rest.substr(comma + 1)};
  return {};
}

FederatedData load(const DataRecipe& recipe, std::string_view source_name) {
  const Source source(source_name, recipe.source);
  if (source.kind == "csv") {
    const CsvTable table = load_table(source);
    FederatedData data = divided(recipe, table.dataset);
    // A table of categories alone has nothing to standardise, which matters only to who asked for it.
    const auto standardised =
        recipe.standardised.value_or(table.numeric.empty() ? Standardised::none : Standardised::numeric);
    require(standardised != Standardised::numeric || !table.numeric.empty(), "standardised", "numeric",
            "none or all for a table without numeric features");
    scale(recipe, standardised, table.numeric, recipe.normalised.value_or(false), data);
    return data;
  }
  FederatedData data = [&] {
    if (source.kind == "synthetic") return load_synthetic(recipe, source);
    if (source.kind == "idx") return divided(recipe, load_images(source));
    if (source.kind == "cifar" && !source.rest.empty()) return divided(recipe, load_cifar(source.rest));
    source.refuse();
  }();
  const bool none = recipe.standardised == Standardised::none;
  scale(recipe, none ? Standardised::none : Standardised::all, {}, recipe.normalised.value_or(true), data);
  return data;
}

}  // namespace dpbudget::fl
