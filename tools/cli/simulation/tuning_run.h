/// @file
/// One run of those that values are chosen by.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/fl/tuning/account.h"

namespace dpbudget::tools {

/// What came of it.
struct TuningResult {
  std::optional<double> train_loss;  ///< nothing where it diverged
  std::optional<double> score;       ///< on the test records: of every client's own model where they have one
  fl::Vector parameters;             ///< of the model that the algorithm hands out; none where it diverged
  bool is_complete = true;           ///< not interrupted
  bool is_verified = true;           ///< whether its ledger is that of the run that was planned
  fl::Released released = {};        ///< as executed, or as planned where it diverged
};

class TuningRun {
 public:
  /// @param data  outlives this
  /// @throws InvalidArgument as fl::settle
  TuningRun(const fl::RunRequest& request, const fl::FederatedData& data, std::uint64_t seed);

  const fl::SettledRun& settled_run() const { return run_; }

  /// What it is planned to release about clients of these numbers.
  fl::Released planned(const std::vector<std::uint64_t>& kinds) const;

  /// @param ledger    where its ledger goes, which is then read and checked
  /// @param kinds     clients of which what was released is wanted
  /// @param is_shown  whether standard error tells how far it is
  TuningResult train(const std::filesystem::path& ledger, const std::vector<std::uint64_t>& kinds, bool is_shown) const;

 private:
  TuningResult train(const std::filesystem::path& ledger, bool is_shown) const;
  void check(const std::filesystem::path& ledger, const std::vector<std::uint64_t>& kinds, TuningResult& result) const;

  fl::HeldClients clients_;
  std::uint64_t dimension_;
  fl::SettledRun run_;
};

}  // namespace dpbudget::tools
