/// @file
/// What the algorithms that average local models have in common.
#pragma once

#include <optional>
#include <span>
#include <tuple>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/algorithms/shared_options.h"

namespace dpbudget::fl {

struct AveragingOptions : StepOption {
  double server_step = 1;  ///< [eta_g] positive

  static auto options() {
    return std::tuple_cat(
        StepOption::options(),
        std::tuple(option(&AveragingOptions::server_step, "server_step",
                          "eta_g: step size of the server, where local models are averaged", range::positive)));
  }
};

/// The server adds the weighted updates, times eta_g, to its model, which stays in the run's ball.
class AveragingServer : public Algorithm {
 public:
  OptionList options() const override { return OptionList::of<AveragingOptions>(); }
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

/// That of RadiusOption; nothing where the algorithm has none.
std::optional<double> radius_of(const SettledRun& run);

/// Pi: the nearest point of the ball about 0 with that radius; the point itself without one.
void project(std::optional<double> radius, Vector& point);
inline void project(const SettledRun& run, Vector& point) { project(radius_of(run), point); }

}  // namespace dpbudget::fl
