/// @file
/// Divisions of a data set as a command line names them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/data/partition.h"

namespace dpbudget::fl {

inline constexpr std::uint64_t default_users = 100;

/// Divides `all` and splits each user's records as `federate` does. `partition` is one of
///
///     iid               partition_iid
///     similarity:G      partition_by_similarity, G per cent
///     shards:S          partition_into_shards, S per user
///     dirichlet:B       partition_dirichlet, parameter B
///     power-law:A       partition_power_law, exponent A
///     by-label          partition_by_class
///     digit-pairs       partition_digit_pairs, labels then being odd_or_even
///     sorted            partition_sorted by target, or by label
///     classes:K[,A]     partition_of_classes, K per user, sizes by exponent A (0 where it is left out)
///
/// or what was added under its name.
///
/// @param users  left out, as many as by-label and digit-pairs give, for the others default_users; in [1, records / 2]
/// @param test   a test set of its own, of which nobody holds a record: all of `all` trains
/// @throws InvalidArgument naming partition when it is none of these, its number cannot be read, or a user gets fewer
/// than two records; users, when the partition decides on another number; what the division or check(all) refuses
/// @throws Unsupported naming partition when it needs labels and `all` has targets
FederatedData federate_by_name(const Dataset& all, const std::string& partition, std::optional<std::uint64_t> users,
                               std::uint64_t seed, const std::optional<Dataset>& test = std::nullopt);

/// Divides all records among so many users.
/// @param parameter  what follows the colon of the name; nothing where the name has none
using PartitionMaker = std::function<Partition(const Dataset& all, const std::optional<std::string>& parameter,
                                               std::uint64_t users, std::uint64_t seed)>;

/// Makes a division known, whoever wrote it: `name` alone and `name:PARAMETER` then mean it. Call it before any thread
/// divides data.
/// @throws InvalidArgument naming partition when there is one of that name
void add_partition(const std::string& name, PartitionMaker make);

}  // namespace dpbudget::fl
