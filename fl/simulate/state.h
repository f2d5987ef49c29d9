/// @file
/// What a simulation is between two rounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/fl/algorithms/algorithm.h"

namespace dpbudget::fl {

/// The global model after a round, evaluated on all clients or on the run's evaluate_clients. These numbers are
/// computed on the data itself: they are not private.
struct Metrics {
  std::uint64_t round = 0;  ///< released so far, warm-start rounds included; 0 is the initial model
  double train_loss = 0;    ///< mean loss over the clients' training records, without the regulariser
  double test_score = 0;    ///< of the global model on their test records: accuracy, or mean squared error
  std::optional<double> personal_score = std::nullopt;  ///< mean over clients of their own models' scores on their own
                                                        ///< test records, for algorithms with personalised models
  std::map<std::string, double> measured = {};          ///< by Surroundings::measure, under its names

  friend bool operator==(const Metrics&, const Metrics&) = default;
};

/// All that the rounds to come depend on, besides the run and its data.
struct State {
  std::uint64_t round = 0;  ///< released so far
  double clip_norm = 0;     ///< of the next round
  ServerState server;
  std::map<std::uint64_t, ClientState> clients;  ///< of those who took part
  std::vector<Metrics> history;
};

}  // namespace dpbudget::fl
