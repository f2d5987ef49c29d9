/// @file
/// The convergence bounds of Chang, Seif and Tandon (2022) for DP-SCAFFOLD with scheduled noise.
#pragma once

#include <cstdint>

#include "dpbudget/fl/schedule/noise_schedule.h"

namespace dpbudget::fl {

/// Local losses convex and L-smooth; symbols as in the paper.
struct ChangProblem {
  double distance;           ///< |w^(0) - w*|, in (0, inf)
  double control_error;      ///< C_0, mean squared error of the first control variates, in [0, inf)
  double gradient_variance;  ///< sigma^2, of one record's gradient, in [0, inf)
  double batch;              ///< B, in [1, inf)
  double users;              ///< K, in [1, inf)
  double participants;       ///< S, in [1, K]
  double server_step;        ///< eta_g, in [1, inf)
  double smoothness;         ///< L, in (0, inf)
};

/// E[f(average iterate)] - f(w*) <= distance^2 / (eta R) + eta (noise + control + sampling): what multiplies the
/// effective learning rate eta = tau eta_g eta_l, and what comes of it.
struct ChangBound {
  double noise;      ///< the impact of DP
  double control;    ///< 11 K C_0 / (S R)
  double sampling;   ///< 15 (1 + tau / eta_g^2) sigma^2 / (tau S B)
  double best_rate;  ///< eta*, equation (9), without regard to the cap
  double rate_cap;   ///< what eta_l <= 1 / (81 L tau eta_g) makes of eta: 1 / (81 L)
  double total;      ///< 2 distance sqrt((noise + control + sampling) / R): the bound at eta*, equation (10)
};

/// Corollaries 1 to 3, literally: 1 for ConstantNoise, 2 for RoundDecay, 3 for StepDecay. The paper writes the noise as
/// sigma~^2 with E|n|^2 = d sigma~^2 in section II, but sums sigma~^2 without d: sigma_0^2 is therefore to be read here
/// as the noise of the whole vector. `total` is claimed where best_rate <= rate_cap.
/// @param rounds  R, at least 1 and at least the schedule's hold
/// @throws InvalidArgument naming the argument outside its range; Unsupported naming schedule, when no corollary is for
/// it
/// @source Chang et al. 2022, equations (9) to (13)
ChangBound chang_convergence(const ChangProblem& problem, const NoiseSchedule& schedule, std::uint64_t rounds);

/// Theorem 3 itself with its two noise sums taken step by step, the same noise for all users: for any schedule. The
/// index t - i of the second sum runs over the steps up to t, and (1 + 1/(tau - 1))^i is read as 1 for tau = 1, where i
/// is 0. The corollaries bound the second sum further, so that this is never above them.
/// @source Chang et al. 2022, equation (8)
ChangBound chang_theorem3(const ChangProblem& problem, const NoiseSchedule& schedule, std::uint64_t rounds);

}  // namespace dpbudget::fl
