/// @file
/// Options that several algorithms have in common: theirs derive from these.
#pragma once

#include <optional>
#include <tuple>

#include "dpbudget/accounting/base/names.h"
#include "dpbudget/fl/run/option.h"
#include "dpbudget/fl/run/step_schedule.h"

namespace dpbudget::fl {

/// What the t of a step schedule counts.
enum class StepClock { rounds, steps };

}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::StepClock> {
  static constexpr NameTable<fl::StepClock, 2> all{
      {{fl::StepClock::rounds, "rounds"}, {fl::StepClock::steps, "steps"}}};
};

}  // namespace dpbudget

namespace dpbudget::fl {

/// StepSizes makes Round::step_size of it for algorithms that read StepScheduleOptions as well; others choose their
/// steps by it themselves.
struct StepOption {
  double step = 1;  ///< [eta_0] positive: the local step size is eta_0 / (s K), or eta_0 itself

  static auto options() {
    return std::tuple(option(&StepOption::step, "step",
                             "eta_0: the local step size is eta_0 / (s K) for fedavg, fedsgd and scaffold, where "
                             "batch_size gives each client an s of its own, else eta_0",
                             range::positive));
  }
};

/// How steps change over a run.
struct StepScheduleOptions {
  std::optional<StepSchedule> step_schedule;  ///< of local steps; nothing: they do not change
  StepClock step_clock = StepClock::rounds;   ///< what its t counts
  std::optional<double> smoothness;           ///< positive: of the loss, for the theorem
  double dissimilarity = 1;                   ///< [B] at least 1, for Noble's

  static auto options() {
    using Self = StepScheduleOptions;
    constexpr Condition<Self> with_shape{[](const Self& chosen, const Settings& /*run*/) {
                                           return chosen.step_schedule && !chosen.step_schedule->is_theorem();
                                         },
                                         "with step_schedule other than theorem"};
    constexpr Condition<Self> with_theorem{[](const Self& chosen, const Settings& /*run*/) {
                                             return chosen.step_schedule && chosen.step_schedule->is_theorem();
                                           },
                                           "with step_schedule theorem"};
    return std::tuple(
        option(&Self::step_schedule, "step_schedule",
               "what multiplies the step as t grows: constant, inverse-sqrt, inverse:A,B for A / (t + B), "
               "exponential:F, step:factor=F,every=K, table:..., csv:FILE; or theorem, which takes the place of step"),
        option(&Self::step_clock, "step_clock", "what t counts, from 1: rounds or steps, all local ones", {},
               with_shape),
        option(&Self::smoothness, "smoothness", "beta of the loss, for the theorem's steps", range::positive,
               with_theorem),
        option(&Self::dissimilarity, "dissimilarity", "B of Noble et al.'s Assumption 4, for their theorem's steps",
               range::from_one, with_theorem));
  }
};

/// The ball that parameters stay in.
struct RadiusOption {
  std::optional<double> radius;  ///< positive: models stay in the ball about zero; nothing: anywhere

  static auto options() {
    return std::tuple(option(&RadiusOption::radius, "radius", "models are projected on the ball of this radius about 0",
                             range::positive));
  }
};

}  // namespace dpbudget::fl
