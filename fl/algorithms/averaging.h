/// @file
/// What the algorithms that average local models have in common.
#pragma once

#include <span>

#include "dpbudget/fl/algorithms/algorithm.h"

namespace dpbudget::fl {

/// The server adds the weighted updates, times eta_g, to its model, which stays in the run's ball.
class AveragingServer : public Algorithm {
 public:
  void prepare(const SettledRun& run, ServerState& state) const override;
  void server(const Round& round, std::span<const Update> updates, ServerState& state) const override;
};

/// Participants take local steps along released gradients of the regularised objective, from the server's model and
/// inside the run's ball.
/// @source McMahan et al. 2017
class LocalSteps : public AveragingServer {
 public:
  void client(const Round& round, const ServerState& server, ClientState& state, Release& release,
              Update& update) const override;
};

/// Sum over the participants of weight times model, in their order.
Vector weighted_sum(std::span<const Update> updates);

/// Pi: the nearest point of the ball about 0 with the run's radius; the point itself without one.
void project(const SettledRun& run, Vector& point);

}  // namespace dpbudget::fl
