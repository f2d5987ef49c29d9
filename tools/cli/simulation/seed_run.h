/// @file
/// What came out of one seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/simulate/runner.h"

namespace dpbudget::tools {

/// One seed's run.
struct SeedRun {
  std::uint64_t seed;
  std::string ledger;
  fl::SettledRun run;                  ///< with the noise and the rounds that its budgets pay for
  std::vector<std::uint64_t> records;  ///< that each client trains on
  std::uint64_t dimension;             ///< of the model
  std::string data = {};               ///< what the clients' records are
  std::uint64_t fingerprint = 0;       ///< of them
  fl::Result result = {};
  std::shared_ptr<const fl::LedgerWriter> writer = {};  ///< nobody else writes the ledger before it has been looked at
  std::vector<double> spent = {};  ///< proven epsilon at each evaluation against run.budget_for; empty without noise
  std::optional<double> naive_error = std::nullopt;  ///< fl::naive_squared_error, for data with targets

  /// fl::relative_rmse of the test score; nothing for data with labels.
  std::optional<double> relative_rmse(const fl::Metrics& metrics) const;

  /// The mean test score of the evaluations in the last tenth of the rounds.
  double score_of_last_tenth() const;
};

}  // namespace dpbudget::tools
