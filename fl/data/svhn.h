/// @file
/// Street View House Numbers: images of digits in a MAT-file.
#pragma once

#include <filesystem>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Reads the cropped digits: `X`, bytes of 32 x 32 x 3 x N, and `y`, N labels in 1, ..., 10, of which 10 is the digit
/// 0. A record's 3072 features are as those of load_cifar: red, green, blue, each row by row, divided by 255.
///
/// @throws InvalidArgument in one line naming the file, as read_mat; or where it lacks one of the two, or they have
/// other dimensions, or a label is out of range
/// @source Netzer, Wang, Coates, Bissacco, Wu, Ng 2011, and the data set's page, "Format 2"
Dataset load_svhn(const std::filesystem::path& path);

}  // namespace dpbudget::fl
