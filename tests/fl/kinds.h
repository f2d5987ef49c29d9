/// @file
/// Runs of every kind that the simulator knows, of milliseconds each, with numbers that binary fractions hold exactly:
/// noise multipliers come back from a ledger as they went in.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/fl/ledger/writer.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/simulate/runner.h"
#include "fl/small.h"

namespace dpbudget::fl {

/// A run, and what is particular about it.
struct Kind {
  std::string name;
  RunRequest run;
};

/// For `kind_of`: eight clients of 32 records each.
inline FederatedData eight_clients() {
  FederatedData data = small_data(std::vector<std::uint32_t>(8, 32));
  data.test_clients.resize(8);
  for (std::uint32_t row = 0; row < data.test.records(); ++row) data.test_clients[row % 8].push_back(row);
  return data;
}

/// Four rounds of four clients, eight records to a batch.
inline RunRequest kind_of(const std::string& algorithm) {
  const AlgorithmTraits& entry = find_algorithm(algorithm);
  RunRequest run;
  run.algorithm = algorithm;
  run.rounds = 4;
  run.user_rate = 0.5;
  run.record_rate = 0.25;
  if (entry.steps == Steps::given) run.local_steps = 2;
  if (entry.warm_starts) run.warm_start_rounds = 2;
  if (entry.adds_noise()) run.clip_norm = 0.5;
  if (entry.mechanism == Mechanism::gaussian || entry.mechanism == Mechanism::shuffled_gaussian)
    run.noise_multiplier = 4;
  if (entry.mechanism == Mechanism::shuffled_binomial) run.batches = Batches::disjoint;
  if (entry.takes("step")) run.options["step"] = 0.25;
  run.seed = 5;
  run.evaluate_every = 1;
  return run;
}

/// `algorithm`'s run, changed by `change`.
template <class Change>
Kind changed_kind(const std::string& algorithm, const std::string& what, const Change& change) {
  Kind kind{algorithm + ", " + what, kind_of(algorithm)};
  change(kind.run);
  return kind;
}

/// Every algorithm that adds noise, and every way to sample, clip, divide or schedule it.
inline std::vector<Kind> noisy_kinds() {
  std::vector<Kind> kinds;
  for (const AlgorithmTraits& entry : all_algorithms())
    if (entry.adds_noise()) kinds.push_back({std::string(entry.name), kind_of(std::string(entry.name))});
  const auto add = [&](const std::string& algorithm, const std::string& what, const auto& change) {
    kinds.push_back(changed_kind(algorithm, what, change));
  };
  add("dp-fedavg", "one step", [](RunRequest& run) { run.local_steps = 1; });
  add("dp-fedavg", "unit user", [](RunRequest& run) { run.unit = Unit::user; });
  add("dp-fedavg", "batches of a given size", [](RunRequest& run) { run.batch_size = 16; });
  add("dp-fedavg", "Poisson", [](RunRequest& run) { run.client_sampling = ClientSampling::poisson; });
  add("dp-fedavg", "noise of each silo", [](RunRequest& run) { run.silo_noise = {4, 4, 4, 4, 8, 8, 8, 8}; });
  add("dp-scaffold", "decaying noise", [](RunRequest& run) { run.schedule = "exponential:0.5"; });
  add("dp-prifedsync", "Adam, personalised", [](RunRequest& run) {
    run.options["optimiser"] = "adam";
    run.options["interpolation"] = 0.25;
  });
  add("dp-prifedsync", "momentum", [](RunRequest& run) { run.options["optimiser"] = "momentum"; });
  add("dpnfl", "multinomial draws", [](RunRequest& run) {
    run.client_sampling = ClientSampling::md;
    run.weights = Weights::records;
  });
  add("addpnfl", "FedAvg's sampling", [](RunRequest& run) { run.client_sampling = ClientSampling::fedavg; });
  add("dp-mb-sgd", "strongly convex", [](RunRequest& run) {
    run.options["smoothness"] = 1.0;
    run.options.erase("step");
    run.regularisation = 0.5;
    run.options["radius"] = 2.0;
  });
  add("dp-mb-sgd", "decaying noise", [](RunRequest& run) { run.schedule = "exponential:0.5"; });
  for (const char* algorithm : {"dp-fedavg", "dp-mb-sgd", "dp-multi-stage-ac-sa"})
    add(algorithm, "drawn with replacement", [](RunRequest& run) { run.batches = Batches::with_replacement; });
  add("dp-fedavg", "shuffled", [](RunRequest& run) { run.batches = Batches::shuffled; });
  add("dp-fedsgd", "shuffled", [](RunRequest& run) { run.batches = Batches::shuffled; });
  add("dp-scaffold", "shuffled, noise that changes within passes", [](RunRequest& run) {
    run.batches = Batches::shuffled;
    run.local_steps = 7;
    run.schedule = "chang2:beta=0.5,hold=1";
  });
  add("dpnfl", "multinomial draws by given weights", [](RunRequest& run) {
    run.client_sampling = ClientSampling::md;
    run.client_weights = {1, 1, 1, 1, 2, 2, 4, 4};
  });
  add("dp-fedavg", "given weights", [](RunRequest& run) {
    run.local_steps = 1;
    run.client_weights = {1, 1, 1, 1, 2, 2, 4, 4};
  });
  for (const char* algorithm : {"dp-mb-sgd", "dp-ac-sa", "dp-multi-stage-ac-sa", "shuffled-mb-sgd"})
    add(algorithm, "one pass", [](RunRequest& run) { run.batches = Batches::disjoint; });
  add("shuffled-mb-sgd", "one pass, growing noise", [](RunRequest& run) {
    run.batches = Batches::disjoint;
    run.schedule = "exponential:20";
  });
  return kinds;
}

/// The kind whose noise follows an adaptive clipping norm: its multipliers come back rounded.
inline Kind adaptive_clipping() {
  return changed_kind("dp-fedavg", "adaptive clipping", [](RunRequest& run) { run.clipping = AdaptiveClipping{}; });
}

/// The kind whose noise follows validation errors, and falls, until a filter stops it.
inline Kind following_errors() {
  return changed_kind("dp-fedavg", "noise that follows errors", [](RunRequest& run) {
    run.schedule = "validation:factor=0.5,patience=1";
    run.noise_multiplier = 8;
    run.rounds = 12;
    run.epsilon = 3;
  });
}

/// What a run leaves.
struct Finished {
  Result result;
  std::string ledger;
};

inline Finished finished(const RunRequest& run, const FederatedData& data, Fault fault = Fault::none) {
  const TemporaryFile file;
  LedgerWriter writer(file.path());
  Surroundings around;
  around.ledger = &writer;
  around.fault = fault;
  Result result = simulate(run, data, around);
  return {std::move(result), file.text()};
}

inline bool equal_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

}  // namespace dpbudget::fl
