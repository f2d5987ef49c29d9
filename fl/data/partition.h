/// @file
/// Dividing one data set among users alike, and by the similarity of their labels; federated data from a division.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Rows per user, in random order; no row occurs twice. What makes it is a function of its arguments, the seed among
/// them, and takes fewer than 2^32 records.
using Partition = std::vector<std::vector<std::uint32_t>>;

/// Gives each user floor(records / users) records, uniformly at random. Equal to partition_by_similarity at 100 per
/// cent, but needs no labels.
///
/// @param users  in [1, records]
/// @throws InvalidArgument naming records or users
Partition partition_iid(std::uint64_t records, std::uint64_t users, std::uint64_t seed);

/// Gives each user floor(records / users) records: `similarity` per cent of them (to the nearest record) i.i.d. from
/// the whole, the rest by sorting what remains by label and cutting it into consecutive pieces, user 0 first. The fewer
/// than `users` records left over, uniformly random ones, are dropped. similarity = 100 is i.i.d. data; 0 gives each
/// user as few labels as equal sizes allow.
///
/// @param labels      one per record; below 2^32 of them
/// @param users       in [1, records]
/// @param similarity  in [0, 100], per cent
/// @throws InvalidArgument naming labels, users or similarity
/// @source Hsu, Qi, Brown 2019, as used by Karimireddy et al. 2020 and Noble, Bellet, Dieuleveut 2022, section 5
Partition partition_by_similarity(std::span<const std::int32_t> labels, std::uint64_t users, double similarity,
                                  std::uint64_t seed);

/// Splits each user's records into the first floor(4/5) for training and the rest for the common test set, of which
/// test_clients says whose they are. A user's rows being in random order, the split is random.
///
/// @param how  how `parts` came about, for the description
/// @throws InvalidArgument naming partition, when it is empty, gives a user fewer than two records, a row that `all`
/// does not have or a row twice; or what check(all) refuses
FederatedData federate(const Dataset& all, const Partition& parts, const std::string& how);

/// The same where `test` is a data set of its own: all of a user's rows train, and nobody holds a test record.
///
/// @throws InvalidArgument as above, but that one record is enough for a user; or what check(test) refuses, and
/// features or classes of `test` that are not those of `all`
FederatedData federate(const Dataset& all, const Partition& parts, Dataset test, const std::string& how);

/// Leaves each client as many training records as the one with the fewest has, its first: the others are gone.
/// @source Lowy, Razaviyayn 2023, appendix I, which makes its silos equal so
void make_equal(FederatedData& data);

/// The given rows, in that order.
/// @param rows  each below all.records()
Dataset rows_of(const Dataset& all, const std::vector<std::uint32_t>& rows);

/// The first federate for partition_by_similarity.
///
/// @param users  in [1, records / 2], so that everyone trains and tests
/// @throws InvalidArgument naming users or similarity, or what check(all) refuses
FederatedData federate(const Dataset& all, std::uint64_t users, double similarity, std::uint64_t seed);

}  // namespace dpbudget::fl
