/// @file
/// Divisions of a data set in which users differ by the classes that they hold.
#pragma once

#include <cstdint>
#include <span>

#include "dpbudget/fl/data/partition.h"

namespace dpbudget::fl {

/// Sorts the records by label, cuts them into users * shards_per_user pieces of equal size and deals each user
/// `shards_per_user` of them at random. The records left over, fewer than there are shards, are random ones and
/// dropped.
///
/// @param users            at least 1
/// @param shards_per_user  at least 1 and, times users, at most the number of records
/// @throws InvalidArgument naming labels, users or shards_per_user
/// @source McMahan et al. 2017 ("Communication-efficient learning"); Zheng et al. 2021, experiments (100 users of 4)
Partition partition_into_shards(std::span<const std::int32_t> labels, std::uint64_t users,
                                std::uint64_t shards_per_user, std::uint64_t seed);

/// Gives each user floor(records / users) records whose classes are drawn one by one from proportions of its own, which
/// come from the symmetric Dirichlet law with parameter beta (all its parameters are beta); the records of a class are
/// drawn without replacement. A class that is used up leaves the others in their proportions, so the last users are
/// less free than the first. Near 0 a user has one class, for large beta the classes are equally frequent.
///
/// @param labels   in [0, classes)
/// @param classes  at least 1
/// @param users    in [1, records]
/// @param beta     in [1e-9, 1e9], beyond which nothing changes
/// @throws InvalidArgument naming labels, classes, users or beta
/// @source Hsu, Qi, Brown 2019 (with beta for their alpha and a uniform prior of total weight `classes`)
Partition partition_dirichlet(std::span<const std::int32_t> labels, int classes, std::uint64_t users, double beta,
                              std::uint64_t seed);

/// Gives user k = 0, 1, ... records of `per_user` classes, as many of each. Who holds which classes is drawn so that
/// all classes are held equally often, to within one user. Sizes are proportional to (k + 1)^-exponent, as large as the
/// records of every class allow, rounded down but to one of each class at least; the records left over are random ones
/// and dropped.
///
/// How Chen et al. choose classes and sizes ("seven digits", "a power law") their paper leaves open: this is this
/// program's way.
///
/// @param labels    in [0, classes)
/// @param classes   at least 1
/// @param users     at least 1
/// @param per_user  in [1, classes]
/// @param exponent  finite, not negative; 0 gives equal sizes
/// @throws InvalidArgument naming labels, also when a class has fewer records than users who hold it; classes, users,
/// per_user or exponent
/// @source Chen et al. 2024, section VII
Partition partition_of_classes(std::span<const std::int32_t> labels, int classes, std::uint64_t users,
                               std::uint64_t per_user, double exponent, std::uint64_t seed);

/// User c has all records of class c.
///
/// @param classes  at least 1: the number of users
/// @throws InvalidArgument naming labels, when one is outside [0, classes) or a class has no record, or classes
/// @source Lowy, Razaviyayn 2023, section 6 and appendix I.3 (which then drops records for equal sizes; here none are)
Partition partition_by_class(std::span<const std::int32_t> labels, int classes, std::uint64_t seed);

/// One user for each pair of an odd and an even digit, 25 in all, (1, 0) first, (1, 2) next. Each digit's records are
/// split at random among the five users that hold it, into sizes that differ by at most 1.
///
/// @param labels  digits, in [0, 10), each occurring five times or more
/// @throws InvalidArgument naming labels
/// @source Woodworth, Patel, Srebro 2020; Lowy, Razaviyayn 2023, section 6 and appendix I.1
Partition partition_digit_pairs(std::span<const std::int32_t> labels, std::uint64_t seed);

/// The data set of digits with the label 1 for an odd one and 0 for an even one, which partition_digit_pairs is for.
///
/// @throws InvalidArgument naming classes, when there are not ten
/// @source as partition_digit_pairs
Dataset odd_or_even(Dataset digits);

}  // namespace dpbudget::fl
