/// @file
/// Options of the commands about federated runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/data/recipe.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/tools/cli/options/command_line.h"
#include "dpbudget/tools/cli/output/output_file.h"

namespace dpbudget::tools {

/// --adversary, by its name with - for _.
void adversary_option(const Command& command, std::optional<fl::Adversary>& adversary, const std::string& description);

/// The names of all algorithms, or of those alone that add noise, separated by commas.
std::string algorithm_names(bool only_private);

/// Refuses a --record-rate that `command` was given and nothing in `run` is drawn by.
/// @throws InvalidArgument naming it, or algorithm when there is none of that name
void check_record_rate(const Command& command, const fl::RunRequest& run);

/// --data and what goes with it.
struct DataOptions {
  fl::DataRecipe recipe;
  std::optional<double> similarity;
  std::optional<std::uint64_t> data_seed;  ///< nothing: that of the run
  std::string source_option = "--data";

  /// @param source  the option that names where they come from
  void add_to(const Command& command, const std::string& source = "--data");

  /// The files that the recipe reads.
  NamedFiles files() const;

  /// The data of the recipe, made with --data-seed, or without it with `seed`.
  /// @throws InvalidArgument naming the source option, --similarity or --records, or what fl::load refuses
  fl::FederatedData load(std::uint64_t seed) const;

  /// The same clients, whose records are held or drawn as the recipe says.
  /// @throws InvalidArgument as load, or what fl::clients_of refuses
  std::unique_ptr<const fl::ClientSource> clients(std::uint64_t seed) const;

 private:
  fl::DataRecipe recipe_for(std::uint64_t seed) const;
};

}  // namespace dpbudget::tools
