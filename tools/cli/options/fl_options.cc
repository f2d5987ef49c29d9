#include "dpbudget/tools/cli/options/fl_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/tools/cli/options/options.h"

namespace dpbudget::tools {
namespace {

fl::Adversary read_adversary(std::string name) {
  std::ranges::replace(name, '-', '_');
  const auto adversary = choice_named<fl::Adversary>(name);
  if (!adversary)
    throw InvalidArgument(fmt::format(
        "--adversary is {}, but must be third-party, server, one-client, other-clients or user-level", name));
  return *adversary;
}

fl::Standardised read_standardised(const std::string& name) {
  if (name == "none") return fl::Standardised::none;
  if (name == "numeric") return fl::Standardised::numeric;
  if (name == "all") return fl::Standardised::all;
  throw InvalidArgument(fmt::format("--standardise is {}, but must be none, numeric or all", name));
}

bool read_yes(const std::string& option, const std::string& answer) {
  if (answer == "yes" || answer == "no") return answer == "yes";
  throw InvalidArgument(fmt::format("{} is {}, but must be yes or no", option, answer));
}

}  // namespace

void adversary_option(const Command& command, std::optional<fl::Adversary>& adversary, const std::string& description) {
  command
      .option(
          "--adversary", [&adversary](const std::string& name) { adversary = read_adversary(name); },
          description + ": third-party, server, one-client, other-clients or user-level")
      .type("NAME");
}

std::string algorithm_names(bool only_private) {
  std::vector<std::string_view> names;
  for (const fl::AlgorithmTraits& entry : fl::all_algorithms())
    if (entry.adds_noise() || !only_private) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_record_rate(const Command& command, const fl::RunRequest& run) {
  if (!command.find("--record-rate").value().is_given()) return;
  require(!fl::find_algorithm(run.algorithm).single_record, "--record-rate", run.record_rate,
          fmt::format("left out for {}, whose batches are one record", run.algorithm));
  // Noise for a user is scaled by it all the same.
  require(run.batches != fl::Batches::disjoint || run.unit == fl::Unit::user, "--record-rate", run.record_rate,
          "left out when batches are disjoint, which share the records out");
}

void DataOptions::add_to(const Command& command, const std::string& source) {
  source_option = source;
  command
      .option(
          source, recipe.source,
          "synthetic:ALPHA,BETA[,power-law][,drawn] as in Noble et al. 2022, synthetic:iid[,power-law][,drawn] (drawn: "
          "nobody holds the records, which are drawn when a client takes part or is evaluated), "
          "idx:IMAGES,LABELS[,IMAGES,LABELS] (files as of MNIST, those that train and those that test), emnist: the "
          "same with EMNIST's images, cifar:FILE[|FILE...][,FILE] (binary; the last after a comma tests), svhn: the "
          "same with its .mat files, or "
          "csv:FILE,target=NAME[,categorical=A|B|...][,one-hot][,client=NAME][,test=FILE], label= in the place of "
          "target= for one whose values are classes, client= the column that "
          "says whose a record is; without test files a fifth of each user's records tests; files may be gzipped")
      .type("SOURCE");
  count_option(command, "--users", recipe.users,
               "M: number of users; left out, 100, or as many as the partition makes");
  count_option(command, "--records", recipe.records,
               "R: records per user of synthetic data, of which 80 % train; left out, 5000");
  number_option(
      command, "--similarity", similarity,
      "per cent of a user's records that are i.i.d., the rest sorted by label (data from files), in [0, 100]");
  count_option(command, "--data-seed", data_seed,
               "seed of what is drawn to make and divide the data; left out, that of the run: runs of other seeds can "
               "have the same data");
  command
      .option("--partition", recipe.partition,
              "who holds what of the data from files: iid, similarity:PERCENT, shards:COUNT, dirichlet:BETA, "
              "classes:COUNT[,EXPONENT] (so many classes a user, sizes by a power law), power-law:EXPONENT, by-label, "
              "digit-pairs or sorted; left out, similarity:0, or sorted for targets")
      .type("NAME");
  command
      .option(
          "--standardise", [this](const std::string& name) { recipe.standardised = read_standardised(name); },
          "features given mean 0 and variance 1: none, numeric or all; left out, all, numeric for CSV, or none for "
          "drawn "
          "records, which it takes to draw all of them twice")
      .type("NAME");
  command
      .option(
          "--pca",
          [this](const std::string& text) {
            const std::uint64_t count = read_count("--pca", text);
            require(1 <= count && count <= 1000000, "--pca", count, "in [1, features]");
            recipe.components = static_cast<int>(count);
          },
          "features projected on so many principal components of the training records; not private")
      .type("COUNT");
  command
      .option(
          "--normalise", [this](const std::string& answer) { recipe.normalised = read_yes("--normalise", answer); },
          "whether records are scaled to norm 1: yes or no; left out, yes, or no for CSV")
      .type("ANSWER");
  number_option(command, "--input-radius", recipe.radius, "records are projected on the ball of this radius");
  command
      .option(
          "--equal-sizes",
          [this](const std::string& answer) { recipe.equal_sizes = read_yes("--equal-sizes", answer); },
          "whether users are cut to as many training records as the poorest has: yes or no; left out, no")
      .type("ANSWER");
}

NamedFiles DataOptions::files() const {
  NamedFiles files;
  for (std::string& file : fl::files_of(recipe.source)) files.emplace_back(source_option, std::move(file));
  return files;
}

fl::DataRecipe DataOptions::recipe_for(std::uint64_t seed) const {
  fl::DataRecipe given = recipe;
  given.seed = data_seed.value_or(seed);
  const bool is_synthetic = given.source.starts_with("synthetic");
  require(!recipe.records || is_synthetic, "--records", recipe.records.value_or(0),
          "left out for data from files, all of whose records are divided");
  if (similarity) {
    require(given.partition.empty(), "--similarity", *similarity, "left out beside --partition");
    require(!is_synthetic, "--similarity", *similarity, "left out for synthetic data, which no partition divides");
    given.partition = fmt::format("similarity:{}", *similarity);
  }
  return given;
}

fl::FederatedData DataOptions::load(std::uint64_t seed) const { return fl::load(recipe_for(seed), source_option); }

std::unique_ptr<const fl::ClientSource> DataOptions::clients(std::uint64_t seed) const {
  return fl::clients_of(recipe_for(seed), source_option);
}

}  // namespace dpbudget::tools
