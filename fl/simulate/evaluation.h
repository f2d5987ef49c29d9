/// @file
/// How good a model is, on the records of all clients or of some.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/simulate/state.h"
#include "dpbudget/fl/simulate/workers.h"

namespace dpbudget::fl {

/// What each of the clients says that a run is evaluated on, in their order: 0 where another share's says it.
struct Scores {
  std::vector<double> losses;  ///< times its training records
  std::vector<double> scores;  ///< on its own test records; empty where those are looked at all at once
  std::vector<double> own;     ///< of its own model; empty without personalised models
};

/// On whose records a run is evaluated: those of evaluate_clients, drawn by its seed for the whole run. Test records
/// that are nobody's are always all taken. Each client is looked at once, and held by nobody longer than that.
class Evaluation {
 public:
  /// All but `run` outlive this.
  Evaluation(const SettledRun& run, const ClientSource& clients, const Model& model, Workers& workers);

  /// @param global  the model that would be handed out
  /// @param states  of those who took part; who has no model of its own yet uses the global one
  /// @param share   whose clients are asked
  Scores scores(const Vector& global, const std::map<std::uint64_t, ClientState>& states, const Share& share);

  /// @param all  what all shares' clients say
  /// @return what `round` says of them; the scores mean nothing where the loss is not finite
  Metrics metrics(std::uint64_t round, const Vector& global, const Scores& all);

 private:
  double test_score(const Vector& global, const std::vector<double>& scores);

  const ClientSource& clients_;
  const Model& model_;
  Workers& workers_;
  const bool is_personalised_;
  std::vector<std::uint64_t> chosen_;  // in increasing order
  bool is_scored_together_;            // on test records that are held, all at once
};

}  // namespace dpbudget::fl
