/// @file
/// Images and labels in the binary format of CIFAR-10.
#pragma once

#include <filesystem>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Reads one file, plain or gzipped, of records of 3073 bytes: a label below 10, then 32 x 32 pixels of red, as many of
/// green and of blue, each colour row by row. A record's 3072 features are the bytes divided by 255, in that order.
/// They take 24 KiB a record.
///
/// @throws InvalidArgument in one line naming the file: missing or unreadable, corrupt, without records, not a whole
/// number of records long, or with a label out of range
/// @source Krizhevsky 2009, "Learning multiple layers of features from tiny images", and the data set's page
Dataset load_cifar(const std::filesystem::path& path);

}  // namespace dpbudget::fl
