/// @file
/// Runs an algorithm over clients, round by round.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "dpbudget/fl/ledger_writer.h"
#include "dpbudget/fl/run.h"

namespace dpbudget::fl {

/// The global model after a round. Both numbers are computed on the data itself: they are not private.
struct Metrics {
  std::uint64_t round = 0;   ///< released so far, warm-start rounds included; 0 is the initial model
  double train_loss = 0;     ///< mean cross-entropy over all clients' records, in nats, without the regulariser
  double test_accuracy = 0;  ///< in [0, 1]
};

struct Result {
  Vector parameters;             ///< of softmax regression; laid out as softmax_regression.h says
  std::uint64_t rounds = 0;      ///< released, warm-start rounds included
  Metrics last;                  ///< after the last round
  std::vector<Metrics> history;  ///< what `watch` was given, in order
};

/// A model or an update that is no longer finite, named with its round and client.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Told of the initial model, of every `evaluate_every`-th round and of the last.
using Watch = std::function<void(const Metrics&)>;

/// Trains softmax regression, from zero, as `run` says. Users are drawn uniformly without replacement, floor(l M) of M,
/// afresh each round. The result and the ledger are the same to the last bit for every number of threads.
///
/// @param ledger  written as the run goes on; null writes none
/// @param watch   may be empty
/// @throws InvalidArgument as check(run, data), before anything is computed or written
/// @throws Diverged naming round and client; the ledger then holds the rounds before
/// @throws std::runtime_error when the ledger can no longer be written
Result simulate(const Run& run, const FederatedData& data, LedgerWriter* ledger, const Watch& watch = {});

}  // namespace dpbudget::fl
