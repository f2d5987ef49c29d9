/// @file
/// Federated data from one description: where records come from, who holds them, how they are scaled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Which features `standardise` is applied to. Only CSV files have columns that are not numeric.
enum class Standardised { none, numeric, all };

/// What is left out is as the source has it by default.
struct DataRecipe {
  /// One of
  ///
  ///     synthetic:ALPHA,BETA[,power-law][,drawn], synthetic:iid[,power-law][,drawn]
  ///                                                                    synthetic
  ///     idx:IMAGES,LABELS[,IMAGES,LABELS]                              load_idx
  ///     emnist:IMAGES,LABELS[,IMAGES,LABELS]                           load_emnist
  ///     csv:FILE,target=NAME[,categorical=A|B|...][,one-hot][,client=NAME][,test=FILE]
  ///                                                                    load_csv; names without comma and bar
  ///     cifar:FILE[|FILE...][,FILE]                                    load_cifar
  ///     svhn:FILE[|FILE...][,FILE]                                     load_svhn
  ///
  /// where the second images and labels, and the files after `test=` and cifar's and svhn's comma, are test records:
  /// all others then train. label=NAME is a target that is categorical too. client= names the column that says whose a
  /// record is, in the place of a partition.
  std::string source = "synthetic:1,1";
  std::string partition = {};               ///< as federate_by_name, not for synthetic; empty: similarity:0, or sorted
                                            ///< for records with targets
  std::optional<std::uint64_t> users = {};  ///< default_users, or what the partition decides on
  std::optional<std::uint64_t> records = {};      ///< per user of synthetic data of equal sizes, 5000; unused elsewhere
  std::uint64_t seed = 0;                         ///< of the synthetic records, and of the partition
  std::optional<Standardised> standardised = {};  ///< numeric columns of CSV, all others' columns, none of drawn ones
  std::optional<int> components = {};   ///< principal components to project on, in [1, features]; nothing: none
  std::optional<bool> normalised = {};  ///< whether records get unit norm: not for CSV, for all others
  std::optional<double> radius = {};    ///< of the ball that records are projected on; nothing: none
  bool equal_sizes = false;             ///< whether clients are cut to as many training records as the poorest has
};

/// The files that `load` reads of such a source; none where it is none of the forms.
std::vector<std::string> files_of(const std::string& source);

/// Loads or generates, divides, makes sizes equal, standardises, projects on principal components, normalises, and
/// projects on the ball.
///
/// @param source_name  what messages call the source
/// @throws InvalidArgument naming source_name, when the source is none of the forms; partition, when it is given for
/// synthetic data, or beside a client column; users, when a client column says another number; records, when it is
/// given for synthetic data of power-law sizes; standardised, when a table has no numeric column to standardise; or
/// what the loader, generator, federate_by_name, standardise and normalise_records refuse
FederatedData load(const DataRecipe& recipe, std::string_view source_name = "source");

/// The same clients, but that those of a source that says `drawn` are held by nobody: their records are drawn when they
/// are asked for (DrawnSynthetic), and are the same to the last bit.
/// @throws InvalidArgument as load; naming components, when they are given for drawn records, all of which they need
std::unique_ptr<const ClientSource> clients_of(const DataRecipe& recipe, std::string_view source_name = "source");

}  // namespace dpbudget::fl
