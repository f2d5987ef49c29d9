/// @file
/// Dividing one data set among users.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Gives each user floor(records / users) records: `similarity` per cent of them (to the nearest record) i.i.d. from
/// the whole, the rest by sorting what remains by label and cutting it into consecutive pieces, user 0 first. The fewer
/// than `users` records left over, uniformly random ones, are dropped. similarity = 100 is i.i.d. data; 0 gives each
/// user as few labels as equal sizes allow.
///
/// @param labels      one per record; below 2^32 of them
/// @param users       in [1, records]
/// @param similarity  in [0, 100], per cent
/// @return rows per user, in random order; no row occurs twice
/// @throws InvalidArgument naming labels, users or similarity
/// @source Hsu, Qi, Brown 2019, as used by Karimireddy et al. 2020 and Noble, Bellet, Dieuleveut 2022, section 5
std::vector<std::vector<std::uint32_t>> partition_by_similarity(std::span<const std::int32_t> labels,
                                                                std::uint64_t users, double similarity,
                                                                std::uint64_t seed);

/// Divides `all` by partition_by_similarity and splits each user's records, at random, into floor(4/5) for training and
/// the rest for the common test set.
///
/// @param users  in [1, records / 2], so that everyone trains and tests
/// @throws InvalidArgument naming users or similarity, or what check(all) refuses
FederatedData federate(const Dataset& all, std::uint64_t users, double similarity, std::uint64_t seed);

}  // namespace dpbudget::fl
