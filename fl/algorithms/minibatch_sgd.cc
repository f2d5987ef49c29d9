#include "dpbudget/fl/algorithms/minibatch_sgd.h"

#include "dpbudget/fl/algorithms/averaging.h"
#include "dpbudget/fl/algorithms/shared_options.h"
#include "dpbudget/fl/convergence/lowy.h"

namespace dpbudget::fl {
namespace {

struct MinibatchOptions : StepOption, StepScheduleOptions, RadiusOption {
  static auto options() {
    using Self = MinibatchOptions;
    constexpr Condition<Self> with_constant_steps{
        [](const Self& chosen, const Settings& /*run*/) { return !chosen.smoothness; }, "without smoothness"};
    constexpr Condition<Self> with_own_steps{[](const Self& chosen, const Settings& /*run*/) {
                                               return !chosen.smoothness ||
                                                      (chosen.step_schedule && chosen.step_schedule->is_theorem());
                                             },
                                             "without smoothness, or theorem"};
    constexpr Condition<Self> with_convexity{
        [](const Self& /*chosen*/, const Settings& run) { return run.regularisation > 0; },
        "with a positive regularisation"};
    const auto [step] = StepOption::options();
    // One step a round: no clock; and no theorem but that of strongly convex losses.
    const auto schedule = std::get<0>(StepScheduleOptions::options());
    return std::tuple_cat(
        std::tuple(step.only(with_constant_steps), schedule.only(with_own_steps)), RadiusOption::options(),
        std::tuple(option<Self, std::optional<double>>(
            &Self::smoothness, "smoothness", "beta of the loss: given, steps are those for strongly convex losses",
            range::positive, with_convexity)));
  }
};

// For round r, from 0, of R.
StepAndWeight strongly_convex(const SettledRun& run, double smoothness, std::uint64_t round) {
  const double mu = run->regularisation;
  return stich_step(mu, smoothness + mu, static_cast<double>(run->rounds), static_cast<double>(round));
}

}  // namespace

OptionList MinibatchSgd::options() const { return OptionList::of<MinibatchOptions>(); }

void MinibatchSgd::prepare(const SettledRun& run, ServerState& state) const {
  project(run, state.model);
  // The weighted mean of the models so far, and the sum of the weights.
  state.memory = {state.model, Vector::Zero(1)};
}

void MinibatchSgd::client(const Round& /*round*/, const ServerState& server, ClientState& /*state*/, Release& release,
                          Update& update) const {
  update.model = release.gradient(server.model);
}

void MinibatchSgd::server(const Round& round, std::span<const Update> updates, ServerState& state) const {
  const SettledRun& run = round.run;
  const auto& smoothness = run.options<MinibatchOptions>().smoothness;
  const auto [step, weight] =
      smoothness ? strongly_convex(run, *smoothness, round.number - 1) : StepAndWeight{round.step_size, 1};
  double& sum = state.memory[1](0);
  sum += weight;
  // Before any weight is given, the last model stands for the mean.
  state.memory[0] += (sum > 0 ? weight / sum : 1) * (state.model - state.memory[0]);
  state.model -= step * (weighted_sum(updates) + run->regularisation * state.model);
  project(run, state.model);
}

}  // namespace dpbudget::fl
