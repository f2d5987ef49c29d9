/// @file
/// EMNIST: the IDX format with images that lie on their side.
#pragma once

#include <filesystem>
#include <optional>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Reads files as load_idx does, and transposes each image, which the data set has stored column by column.
///
/// @param classes  labels must be below it, in [2, 256]; nothing: one more than the largest label ("letters" begins at
///                 1, and leaves class 0 empty)
/// @throws InvalidArgument as load_idx, or naming the file of images that are not square
/// @source Cohen, Afshar, Tapson, van Schaik 2017, "EMNIST: an extension of MNIST to handwritten letters"
Dataset load_emnist(const std::filesystem::path& images, const std::filesystem::path& labels,
                    std::optional<int> classes = std::nullopt);

}  // namespace dpbudget::fl
