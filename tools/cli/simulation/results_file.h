/// @file
/// The table of a run's evaluations, for other programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dpbudget/fl/files/file_lock.h"
#include "dpbudget/fl/files/growing_file.h"

namespace dpbudget::tools {

/// One row an evaluation: a JSON line, or, in a file whose name ends in .csv, a record as of RFC 4180 below one that
/// names the columns. Each stands in the file as a whole, or not at all.
class ResultsFile {
 public:
  /// @param file     may be empty: then nothing is written
  /// @param columns  in their order, for CSV; no row has others
  ResultsFile(std::string file, std::vector<std::string> columns);

  /// Empties the file, which no other run begins from then on.
  /// @throws InvalidArgument naming --results, when another run is writing it
  void begin();

  /// @param row  an object; what it lacks, and what is null, is an empty field of CSV, and what is no single value its
  /// JSON
  /// @throws CannotWrite naming --results
  void append(const nlohmann::json& row);

  bool is_wanted() const { return !file_.path().empty(); }

 private:
  void append_line(std::string line);

  bool is_csv_;
  std::vector<std::string> columns_;
  GrowingFile file_;
  FileLock lock_;
};

}  // namespace dpbudget::tools
