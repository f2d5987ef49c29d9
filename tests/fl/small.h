/// @file
/// Small federated data and runs that take milliseconds, and a ledger kept in memory as text.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "dpbudget/fl/ledger/ledger.h"
#include "dpbudget/fl/ledger/writer.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/mechanisms/random.h"
#include "fl/asked.h"

namespace dpbudget::fl {

/// Clients of the given sizes whose records are normal, with labels that follow the first feature, shifted per client.
inline FederatedData small_data(const std::vector<std::uint32_t>& sizes, std::uint64_t seed = 3) {
  constexpr int features = 4;
  std::uint32_t records = 0;
  for (const std::uint32_t size : sizes) records += size;
  const auto filled = [&](std::uint32_t rows, std::uint64_t step) {
    mechanisms::Stream stream({seed, mechanisms::Purpose::data_generation, 0, 0, step});
    Dataset set{Matrix(rows, features), {}, 3};
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (int column = 0; column < features; ++column) set.features(row, column) = stream.normal();
      set.labels.push_back(set.features(row, 0) < -0.4 ? 0 : set.features(row, 0) < 0.4 + 0.01 * row ? 1 : 2);
    }
    return set;
  };
  FederatedData data{filled(records, 0), filled(30, 1), {}, "small"};
  std::uint32_t next = 0;
  for (const std::uint32_t size : sizes) {
    data.clients.emplace_back();
    for (std::uint32_t i = 0; i < size; ++i) data.clients.back().push_back(next++);
  }
  return data;
}

inline FederatedData ten_clients() { return small_data(std::vector<std::uint32_t>(10, 20)); }

/// A run on about ten clients of about twenty records: three clients a round, four records a batch (one for local SGD,
/// three where every batch is another one).
inline RunRequest small_run(const std::string& algorithm) {
  RunRequest run;
  run.algorithm = algorithm;
  run.rounds = 6;
  run.user_rate = 0.3;
  run.record_rate = 0.2;
  const AlgorithmTraits& entry = find_algorithm(algorithm);
  if (entry.steps == Steps::given) run.local_steps = 3;
  if (entry.warm_starts) run.warm_start_rounds = 4;
  if (entry.adds_noise()) run.clip_norm = 0.5;
  if (entry.mechanism == Mechanism::shuffled_binomial) {
    run.batches = Batches::disjoint;
    run.options["granularity"] = 8U;
    run.options["noise_bits"] = 256U;
  } else if (entry.adds_noise()) {
    run.noise_multiplier = 2;
  }
  if (entry.takes("step")) run.options["step"] = 0.3;
  run.seed = 11;
  run.evaluate_every = 2;
  return run;
}

/// A file of its own in the temporary directory, removed at the end.
class TemporaryFile {
 public:
  TemporaryFile() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("dpbudget-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".jsonl");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

/// `simulate` with a ledger, and nothing else around.
inline Result simulate_into(LedgerWriter& ledger, const RunRequest& run, const FederatedData& data,
                            const Watch& watch = {}) {
  Surroundings around;
  around.ledger = &ledger;
  around.watch = watch;
  return simulate(run, data, around);
}

/// The ledger that a finished run leaves.
inline std::string ledger_text(const RunRequest& run, const FederatedData& data) {
  const TemporaryFile file;
  LedgerWriter writer(file.path());
  simulate_into(writer, run, data);
  return file.text();
}

inline Ledger ledger_from(const std::string& text) {
  std::istringstream in(text);
  return read_ledger(in, "test");
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace dpbudget::fl
