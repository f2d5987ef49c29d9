/// @file
/// Divisions of a data set in which users differ by how much they hold, or by the size of their targets.
#pragma once

#include <cstdint>
#include <span>

#include "dpbudget/fl/data/partition.h"

namespace dpbudget::fl {

/// Gives user k = 0, 1, ... uniformly random records: 2, to train and to test, and of the others a share proportional
/// to (k + 1)^-exponent, to within one record. All records are given.
///
/// This power law is this program's: papers that use one (Chen et al. 2024, section VII) leave it open.
///
/// @param users     in [1, records / 2]
/// @param exponent  finite, not negative; 0 gives equal sizes
/// @throws InvalidArgument naming records, users or exponent
Partition partition_power_law(std::uint64_t records, std::uint64_t users, double exponent, std::uint64_t seed);

/// Sorts the records by key, equal keys in random order, and cuts them: the first users - 1 have floor(records / users)
/// each, the last has the rest.
///
/// @param keys   one per record, none NaN: targets, or labels
/// @param users  in [1, records]
/// @throws InvalidArgument naming keys or users
/// @source Lowy, Razaviyayn 2023, appendix I.2 (whose formula for the size is lost in our copy: it may round up)
Partition partition_sorted(std::span<const double> keys, std::uint64_t users, std::uint64_t seed);

}  // namespace dpbudget::fl
