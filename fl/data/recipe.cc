#include "dpbudget/fl/data/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/split.h"
#include "dpbudget/fl/data/cifar.h"
#include "dpbudget/fl/data/csv.h"
#include "dpbudget/fl/data/drawn_synthetic.h"
#include "dpbudget/fl/data/emnist.h"
#include "dpbudget/fl/data/idx.h"
#include "dpbudget/fl/data/partition_by_name.h"
#include "dpbudget/fl/data/partition_order.h"
#include "dpbudget/fl/data/pca.h"
#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/svhn.h"
#include "dpbudget/fl/data/synthetic.h"

namespace dpbudget::fl {
namespace {

constexpr std::string_view test_file = "test=";
constexpr std::uint64_t default_records = Synthetic().records_per_user;

std::vector<std::string> texts(std::string_view list, char separator) {
  const std::vector<std::string_view> parts = split(list, separator);
  return {parts.begin(), parts.end()};
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
        fmt::format("{} is {}, but must be synthetic:ALPHA,BETA[,power-law][,drawn], "
                    "synthetic:iid[,power-law][,drawn], idx:IMAGES,LABELS[,TEST-IMAGES,TEST-LABELS], emnist: the same, "
                    "csv:FILE,target=NAME (or label=NAME)[,categorical=A|B|...][,one-hot][,client=NAME][,test=FILE] or "
                    "cifar:FILE[|FILE...][,TEST-FILE], svhn: the same",
                    name, text));
  }

  std::string name;
  std::string text;
  std::string kind;
  std::string rest;
};

struct SyntheticSource {
  Synthetic parameters;
  bool is_drawn = false;
};

SyntheticSource read_synthetic(const DataRecipe& recipe, const Source& source) {
  std::vector<std::string> parts = texts(source.rest, ',');
  const auto take_last = [&](std::string_view word) {
    const bool is_last = parts.size() > 1 && parts.back() == word;
    if (is_last) parts.pop_back();
    return is_last;
  };
  SyntheticSource read;
  read.is_drawn = take_last("drawn");
  const bool power_law = take_last("power-law");
  const bool is_iid = parts[0] == "iid";
  if (parts.size() != (is_iid ? 1 : 2)) source.refuse();
  const double alpha = is_iid ? 0 : read_number("alpha of " + source.name, parts[0]);
  const double beta = is_iid ? 0 : read_number("beta of " + source.name, parts[1]);
  require(recipe.partition.empty(), "partition", recipe.partition, "left out for synthetic data");
  if (power_law && recipe.records)
    require(false, "records", *recipe.records, "left out for sizes that obey a power law");
  read.parameters = {.alpha = alpha,
                     .beta = beta,
                     .users = recipe.users.value_or(default_users),
                     .records_per_user = recipe.records.value_or(default_records),
                     .seed = recipe.seed,
                     .sizes = power_law ? SyntheticSizes::power_law : SyntheticSizes::equal,
                     .is_iid = is_iid};
  return read;
}

// Records, and those of files of their own that test.
struct Loaded {
  Dataset all;
  std::optional<Dataset> test = std::nullopt;
};

FederatedData divided(const DataRecipe& recipe, const Loaded& loaded) {
  const std::string own = loaded.all.targets.empty() ? "similarity:0" : "sorted";
  return federate_by_name(loaded.all, recipe.partition.empty() ? own : recipe.partition, recipe.users, recipe.seed,
                          loaded.test);
}

Loaded load_images(const Source& source) {
  const std::vector<std::string> files = texts(source.rest, ',');
  if (files.size() != 2 && files.size() != 4) source.refuse();
  const bool is_emnist = source.kind == "emnist";
  Loaded loaded{is_emnist ? load_emnist(files[0], files[1]) : load_idx(files[0], files[1])};
  if (files.size() == 4)
    loaded.test = is_emnist ? load_emnist(files[2], files[3], loaded.all.classes) : load_idx(files[2], files[3]);
  return loaded;
}

Loaded load_photographs(const Source& source) {
  const std::vector<std::string> parts = texts(source.rest, ',');
  if (source.rest.empty() || parts.size() > 2) source.refuse();
  const auto load_file = source.kind == "svhn" ? load_svhn : load_cifar;
  Loaded loaded;
  for (const std::string& file : texts(parts[0], '|')) {
    const Dataset next = load_file(file);
    if (loaded.all.records() == 0) {
      loaded.all = next;
      continue;
    }
    Matrix both(loaded.all.features.rows() + next.features.rows(), next.features.cols());
    both << loaded.all.features, next.features;
    loaded.all.features = std::move(both);
    loaded.all.labels.insert(loaded.all.labels.end(), next.labels.begin(), next.labels.end());
  }
  if (parts.size() == 2) loaded.test = load_file(parts[1]);
  return loaded;
}

CsvTable load_table(const Source& source) {
  const std::vector<std::string> parts = texts(source.rest, ',');
  CsvColumns columns;
  bool has_target = false;
  bool is_label = false;
  std::string test;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    constexpr std::string_view target = "target=";
    constexpr std::string_view label = "label=";
    constexpr std::string_view categorical = "categorical=";
    constexpr std::string_view client = "client=";
    if (parts[i].starts_with(target) && !has_target) {
      columns.target = parts[i].substr(target.size());
      has_target = true;
    } else if (parts[i].starts_with(label) && !has_target) {
      columns.target = parts[i].substr(label.size());
      has_target = true;
      is_label = true;
    } else if (parts[i].starts_with(categorical) && columns.categorical.empty()) {
      columns.categorical = texts(std::string_view(parts[i]).substr(categorical.size()), '|');
    } else if (parts[i] == "one-hot" && !columns.one_hot) {
      columns.one_hot = true;
    } else if (parts[i].starts_with(client) && parts[i].size() > client.size() && columns.client.empty()) {
      columns.client = parts[i].substr(client.size());
    } else if (parts[i].starts_with(test_file) && parts[i].size() > test_file.size() && test.empty()) {
      test = parts[i].substr(test_file.size());
    } else {
      source.refuse();
    }
  }
  if (!has_target) source.refuse();
  if (is_label && std::ranges::find(columns.categorical, columns.target) == columns.categorical.end())
    columns.categorical.push_back(columns.target);
  return test.empty() ? load_csv(parts[0], columns) : load_csv(parts[0], test, columns);
}

FederatedData divided(const DataRecipe& recipe, const CsvTable& table) {
  const std::uint64_t records = table.dataset.records();
  std::vector<std::uint32_t> train(table.test_from);
  std::iota(train.begin(), train.end(), std::uint32_t{0});
  std::vector<std::uint32_t> test(records - table.test_from);
  std::iota(test.begin(), test.end(), static_cast<std::uint32_t>(table.test_from));
  Loaded loaded{test.empty() ? table.dataset : rows_of(table.dataset, train)};
  if (!test.empty()) loaded.test = rows_of(table.dataset, test);
  if (table.clients.empty()) return divided(recipe, loaded);
  require(recipe.partition.empty(), "partition", recipe.partition, "left out beside a client column");
  // Clients that have test records alone take no part.
  std::map<std::int32_t, std::vector<std::uint32_t>> held;
  for (const std::uint32_t row : train) held[table.clients[row]].push_back(row);
  Partition parts;
  for (auto& [client, rows] : held) parts.push_back(std::move(rows));
  if (recipe.users)
    require(*recipe.users == parts.size(), "users", *recipe.users,
            fmt::format("{} (or left out), as the client column says", parts.size()));
  shuffle_each(parts, recipe.seed);
  const std::string how = fmt::format("by client column, seed {}", recipe.seed);
  return loaded.test ? federate(loaded.all, parts, *loaded.test, how) : federate(loaded.all, parts, how);
}

void scale(const DataRecipe& recipe, Standardised standardised, std::span<const Eigen::Index> numeric, bool normalised,
           FederatedData& data) {
  if (recipe.equal_sizes) make_equal(data);
  if (standardised == Standardised::all) standardise(data);
  if (standardised == Standardised::numeric) standardise(data, numeric);
  if (recipe.components) project_on_components(data, *recipe.components);
  if (normalised) normalise_records(data);
  if (recipe.radius) project_records(data, *recipe.radius);
}

// Where all columns are numbers: left out, means of all records are taken of those alone that are held.
bool is_standardised(const DataRecipe& recipe, bool is_drawn) {
  return recipe.standardised ? *recipe.standardised != Standardised::none : !is_drawn;
}

}  // namespace

std::vector<std::string> files_of(const std::string& text) {
  const Source source("source", text);
  std::vector<std::string> parts = texts(source.rest, ',');
  if (source.kind == "idx" || source.kind == "emnist")
    return parts.size() == 2 || parts.size() == 4 ? parts : std::vector<std::string>();
  if (source.kind == "cifar" || source.kind == "svhn") {
    std::vector<std::string> files = texts(parts[0], '|');
    files.insert(files.end(), parts.begin() + 1, parts.end());
    return files;
  }
  if (source.kind != "csv") return {};
  std::vector<std::string> files{parts[0]};
  for (const std::string& part : parts)
    if (part.starts_with(test_file)) files.push_back(part.substr(test_file.size()));
  return files;
}

FederatedData load(const DataRecipe& recipe, std::string_view source_name) {
  const Source source(source_name, recipe.source);
  if (source.kind == "csv") {
    const CsvTable table = load_table(source);
    FederatedData data = divided(recipe, table);
    // A table of categories alone has nothing to standardise, which matters only to who asked for it.
    const auto standardised =
        recipe.standardised.value_or(table.numeric.empty() ? Standardised::none : Standardised::numeric);
    require(standardised != Standardised::numeric || !table.numeric.empty(), "standardised", "numeric",
            "none or all for a table without numeric features");
    scale(recipe, standardised, table.numeric, recipe.normalised.value_or(false), data);
    return data;
  }
  bool is_drawn = false;
  FederatedData data = [&] {
    if (source.kind == "synthetic") {
      const SyntheticSource read = read_synthetic(recipe, source);
      is_drawn = read.is_drawn;
      return synthetic(read.parameters);
    }
    if (source.kind == "idx" || source.kind == "emnist") return divided(recipe, load_images(source));
    if (source.kind == "cifar" || source.kind == "svhn") return divided(recipe, load_photographs(source));
    source.refuse();
  }();
  scale(recipe, is_standardised(recipe, is_drawn) ? Standardised::all : Standardised::none, {},
        recipe.normalised.value_or(true), data);
  return data;
}

std::unique_ptr<const ClientSource> clients_of(const DataRecipe& recipe, std::string_view source_name) {
  const Source source(source_name, recipe.source);
  const auto read = source.kind == "synthetic" ? read_synthetic(recipe, source) : SyntheticSource();
  if (!read.is_drawn) return std::make_unique<HeldClients>(load(recipe, source_name));
  require(!recipe.components, "components", recipe.components.value_or(0),
          "left out for drawn records, which nobody holds together");
  return std::make_unique<DrawnSynthetic>(read.parameters, RecordScaling{.equal_sizes = recipe.equal_sizes,
                                                                         .standardised = is_standardised(recipe, true),
                                                                         .normalised = recipe.normalised.value_or(true),
                                                                         .radius = recipe.radius});
}

}  // namespace dpbudget::fl
