/// @file
/// Options of the commands about federated runs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/run.h"

namespace dpbudget::tools {

/// --adversary, one of third-party, server, user-level.
void adversary_option(CLI::App& app, fl::Adversary& adversary, const std::string& description);
void adversary_option(CLI::App& app, std::optional<fl::Adversary>& adversary, const std::string& description);

/// What decides a run's privacy: rates, local steps, noise, unit, warm start.
void privacy_options(CLI::App& app, fl::Run& run);

/// `run` with ten local steps where neither the user nor the algorithm says how many.
/// @throws InvalidArgument naming algorithm when there is none of that name
fl::Run with_default_local_steps(fl::Run run);

/// --data and what goes with it.
struct DataOptions {
  std::string source = "synthetic:1,1";
  std::uint64_t users = 100;
  std::uint64_t records = 5000;
  double similarity = 0;

  void add_to(CLI::App& app);

  /// Loads or generates the data, standardised and with records of unit norm.
  /// @throws InvalidArgument naming --data, or what the loader or generator refuses
  fl::FederatedData load(std::uint64_t seed) const;
};

}  // namespace dpbudget::tools
