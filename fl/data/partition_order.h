/// @file
/// The random orders that every division of a data set is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/fl/data/partition.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// The streams of a division: one for the whole data set, and for each user one that orders its rows and one that draws
/// its class proportions. The values key recorded runs: add at the end.
enum class PartitionPart : std::uint64_t { whole, user, proportions };

/// The stream of one part of the division of one user's data.
mechanisms::Stream partition_stream(std::uint64_t seed, std::uint64_t user, PartitionPart part);

/// All rows below `records` in random order.
/// @throws InvalidArgument naming `name` unless there are at least 1 and fewer than 2^32
std::vector<std::uint32_t> shuffled_rows(const std::string& name, std::uint64_t records, std::uint64_t seed);

/// Puts each user's rows in random order, by a stream of its own.
void shuffle_each(Partition& parts, std::uint64_t seed);

}  // namespace dpbudget::fl
