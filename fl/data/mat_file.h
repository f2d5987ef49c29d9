/// @file
/// Arrays of numbers in MATLAB's MAT-files of version 5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dpbudget::fl {

/// A variable, its numbers column by column: the first dimension changes fastest.
struct MatArray {
  std::string name;
  std::vector<std::uint64_t> dimensions;  ///< two or more
  std::vector<double> numbers;            ///< as many as the dimensions multiply to
};

/// Bytes alone, which need no eight of memory each.
struct MatBytes {
  std::string name;
  std::vector<std::uint64_t> dimensions;  ///< as MatArray
  std::vector<std::uint8_t> bytes;
};

/// What a file holds, in its order: real arrays of numbers, compressed or not.
struct MatFile {
  std::vector<MatArray> arrays;
  std::vector<MatBytes> byte_arrays;  ///< those whose numbers are stored as unsigned bytes
};

/// Reads all variables; the file itself may be gzipped besides. Memory is taken for bytes that were read, never on a
/// tag's word.
///
/// @throws InvalidArgument in one line naming the file: missing, no MAT-file of version 5 (one of version 7.3 is HDF5),
/// of the other byte order, truncated, damaged, or with a variable that is no full, real array of numbers
/// @source The MathWorks, "MAT-File Format", 2019, chapter 1
MatFile read_mat(const std::filesystem::path& path);

}  // namespace dpbudget::fl
