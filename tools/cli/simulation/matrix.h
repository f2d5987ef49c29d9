/// @file
/// Every algorithm under every schedule, run small and verified; and every mistake that verification must find.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dpbudget/fl/simulate/fault.h"
#include "dpbudget/fl/verify/verify.h"

namespace dpbudget::tools {

/// One small run, verified from its ledger.
struct MatrixRun {
  std::string name;      ///< the algorithm, and what is particular about the run
  std::string schedule;  ///< of its noise
  fl::Report report;
};

/// A run that commits a mistake.
struct MatrixFault {
  std::string name;
  fl::Fault fault;
  std::vector<std::string> caught_by;  ///< the checks that failed; none: the mistake went unnoticed
};

struct Matrix {
  std::vector<MatrixRun> runs;
  std::vector<MatrixFault> faults;
  bool passed;  ///< every run verifies, and every mistake is found
};

/// Eight clients of 48 records, four rounds, softmax regression: enough to see every plan and every check at work.
/// @param delta     in (0, 1)
/// @param progress  told the name of what is run next
Matrix verify_matrix(double delta, const std::function<void(const std::string&)>& progress);

/// A row for each run and adversary, then one for each mistake.
std::string matrix_text(const Matrix& matrix);

nlohmann::json matrix_json(const Matrix& matrix);

}  // namespace dpbudget::tools
