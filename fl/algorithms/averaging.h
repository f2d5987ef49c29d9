/// @file
/// What the algorithms that average local models have in common.
#pragma once

#include <optional>
#include <span>
#include <tuple>

#include "dpbudget/fl/algorithms/algorithm.h"
#include "dpbudget/fl/algorithms/shared_options.h"

namespace dpbudget::fl {

/// What the averaging algorithms read of a run.
struct AveragingOptions : StepOption, StepScheduleOptions {
  double server_step = 1;                            ///< [eta_g] positive
  std::optional<StepSchedule> server_step_schedule;  ///< over rounds; nothing: it does not change

  static auto options() {
    using Self = AveragingOptions;
    constexpr Condition<Self> without_theorem{[](const Self& chosen, const Settings& /*run*/) {
                                                return !chosen.step_schedule || !chosen.step_schedule->is_theorem();
                                              },
                                              "without step_schedule theorem"};
    constexpr Condition<Self> without_server_theorem{[](const Self& chosen, const Settings& /*run*/) {
                                                       return !chosen.server_step_schedule ||
                                                              !chosen.server_step_schedule->is_theorem();
                                                     },
                                                     "without server_step_schedule theorem"};
    const auto [step] = StepOption::options();
    return std::tuple_cat(
        std::tuple(step.only(without_theorem)), StepScheduleOptions::options(),
        std::tuple(
            option(&Self::server_step, "server_step", "eta_g: step size of the server, where local models are averaged",
                   range::positive, without_server_theorem),
            option(&Self::server_step_schedule, "server_step_schedule",
                   "what multiplies the server's step as rounds go by, as step_schedule; theorem takes the "
                   "place of server_step")));
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
/// The same for the radius of a run.
inline void project(const SettledRun& run, Vector& point) { project(radius_of(run), point); }

}  // namespace dpbudget::fl
