/// @file
/// Federated data from one description: where records come from, who holds them, how they are scaled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Which features `standardise` is applied to. Only CSV files have columns that are not numeric.
enum class Standardised { none, numeric, all };

/// What is left out is as the source has it by default.
struct DataRecipe {
  /// One of
  ///
  ///     synthetic:ALPHA,BETA[,power-law]                      synthetic
  ///     idx:IMAGES,LABELS                                     load_idx
  ///     csv:FILE,target=NAME[,categorical=A|B|...][,one-hot]  load_csv; names without comma and bar
  ///     cifar:FILE                                            load_cifar
  std::string source = "synthetic:1,1";
  std::string partition = {};               ///< as federate_by_name, not for synthetic; empty: similarity:0, or sorted
                                            ///< for records with targets
  std::optional<std::uint64_t> users = {};  ///< default_users, or what the partition decides on
  std::optional<std::uint64_t> records = {};      ///< per user of synthetic data of equal sizes, 5000; unused elsewhere
  std::uint64_t seed = 0;                         ///< of the synthetic records, and of the partition
  std::optional<Standardised> standardised = {};  ///< numeric columns of CSV, all others' columns
  std::optional<int> components = {};   ///< principal components to project on, in [1, features]; nothing: none
  std::optional<bool> normalised = {};  ///< whether records get unit norm: not for CSV, for all others
};

/// The files that `load` reads of such a source; none where it is none of the forms.
std::vector<std::string> files_of(const std::string& source);

/// Loads or generates, divides, standardises, projects on principal components and then normalises.
///
/// @param source_name  what messages call the source
/// @throws InvalidArgument naming source_name, when the source is none of the forms; partition, when it is given for
/// synthetic data; records, when it is given for synthetic data of power-law sizes; standardised, when a table has no
/// numeric column to standardise; or what the loader, generator, federate_by_name, standardise and normalise_records
/// refuse
FederatedData load(const DataRecipe& recipe, std::string_view source_name = "source");

}  // namespace dpbudget::fl
