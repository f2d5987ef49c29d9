/// @file
/// Tables of comma-separated values as data sets.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// What the columns of a file mean.
struct CsvColumns {
  std::string target;                         ///< what is to be predicted: numbers, or labels when also categorical
  std::vector<std::string> categorical = {};  ///< columns whose values are names; all others are numbers
  bool one_hot = false;                       ///< a categorical feature as a 0/1 column per value, not as one of codes
  std::string client = {};                    ///< whose a record is: no feature; empty: no column says
};

/// A data set, and what its numbers stand for.
struct CsvTable {
  Dataset dataset;
  std::vector<std::string> features;     ///< the name of each column; "region=southeast" for one-hot columns
  std::vector<Eigen::Index> numeric;     ///< the columns of features that are no encoding of a category
  std::vector<std::string> class_names;  ///< the label's name for each class; empty when the target is numeric
  std::vector<std::int32_t> clients;     ///< a number from 0 for each record, by the values' order; empty: no column
  std::uint64_t test_from = 0;           ///< the first record of the second file; all records where there is none
};

/// Reads a file, plain or gzipped, with a header line (the format is that of read_csv_records). Features are the
/// columns other than the target, in the file's order. The values of a categorical column are numbered from 0 in the
/// order of their bytes, so that the order of the records does not matter; a categorical target's values are the
/// classes.
///
/// @throws InvalidArgument in one line naming the file, and where there are any the line and the column: what
/// read_csv_records refuses, no record, a column that does not exist, occurs or is named twice, no feature, a record
/// with more or fewer fields than the header, what should be a number and is no finite one, a single class
CsvTable load_csv(const std::filesystem::path& path, const CsvColumns& columns);

/// The same of two files with the same header, the second's records after the first's: categories are numbered
/// together.
/// @throws InvalidArgument naming the second file when its header is another
CsvTable load_csv(const std::filesystem::path& path, const std::filesystem::path& test, const CsvColumns& columns);

}  // namespace dpbudget::fl
