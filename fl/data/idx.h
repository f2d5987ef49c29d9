/// @file
/// Images and labels in the IDX format of MNIST.
#pragma once

#include <filesystem>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// Reads a file of unsigned-byte images (magic 0x00000803) and one of labels (0x00000801), each plain or gzipped. A
/// record is an image row by row, its bytes divided by 255.
///
/// @param classes  labels must be below it; in [2, 256]
/// @throws InvalidArgument in one line naming the file: missing or unreadable, truncated, corrupt, another magic, an
/// empty dimension, bytes after the end, a label out of range, counts that differ; or naming classes. Memory
/// is taken for bytes that were read, never on a header's word.
/// @source the format's description with the MNIST database (LeCun, Cortes, Burges)
Dataset load_idx(const std::filesystem::path& images, const std::filesystem::path& labels, int classes = 10);

}  // namespace dpbudget::fl
