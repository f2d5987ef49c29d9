/// @file
/// The privacy claims of Chang, Seif and Tandon (2022), "Differentially Private Federated Learning with Drift Control",
/// as printed: estimates, because they have no proof against any adversary that the paper names.
#pragma once

#include <cstdint>
#include <optional>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/fl/schedule/noise_schedule.h"

namespace dpbudget::fl {

/// The paper's two noise schemes: equation (6), with Theorem 1, and equation (7), with Theorem 2.
enum class ChangScheme { per_round, per_step };

/// One run, in the paper's symbols.
struct ChangRun {
  double user_rate;           ///< p, in (0, 1]
  double record_rate;         ///< q, in (0, 1]
  double lipschitz;           ///< L, in (0, inf): a bound on every record's gradient
  double batch;               ///< B, in [1, inf)
  double sigma0;              ///< standard deviation on the mean gradient, in (0, inf)
  double beta;                ///< in (0, 1]
  std::uint64_t local_steps;  ///< tau, in [1, 2^53]
  std::uint64_t hold;         ///< R_th, in [0, rounds]
  std::uint64_t rounds;       ///< R, in [1, 2^53]
};

// Each function throws InvalidArgument naming the argument outside its range.

/// The literal right-hand side of Theorem 1 or 2: 24 (p q)^2 order L^2 / B^2 times the sum of 1 / sigma^2 over all
/// steps, which the theorem's bracket is exactly. Its preconditions are not checked here: see `chang_preconditions`.
/// @param order  in (1, inf)
/// @return relative error below 1e-12
/// @source Chang et al. 2022, Theorems 1 and 2
double chang_rdp(ChangScheme scheme, const ChangRun& run, double order);

/// What Theorem 1 or 2 asks of a run, in the units of `run.sigma0` and thus as printed. For the last variance s^2 of
/// the run the range of beta says s^2 >= 5, and the cap is s^2 log(1 / (p q)). A condition on noise alone can only be
/// meant against the sensitivity: give sigma0 B / (2 L) with lipschitz = 1/2 and batch = 1 to read it so.
struct ChangPreconditions {
  bool sigma0;        ///< sigma0 >= sqrt(5)
  bool rates;         ///< p q <= 0.1
  bool beta;          ///< beta >= least_beta
  double least_beta;  ///< (5 / sigma0^2)^(1 / decaying rounds (or decaying steps - 1)); 0 where nothing decays
  double order_cap;   ///< largest order for which the theorem claims anything

  bool has_order() const { return order_cap > 1; }  ///< without one the theorem claims nothing
  bool hold() const { return sigma0 && rates && beta && has_order(); }
};
/// Those of a scheme on a run.
ChangPreconditions chang_preconditions(ChangScheme scheme, const ChangRun& run);

/// The first number of rounds, up to run.rounds, at which the range of beta no longer holds; nothing when it always
/// does.
std::optional<std::uint64_t> chang_first_round_beyond_beta(ChangScheme scheme, ChangRun run);

/// epsilon as the paper obtains it: Theorem 1 or 2 at the best order up to its cap, by Mironov's conversion. An
/// ESTIMATE, the notes say why, and which precondition fails.
/// @param delta  in (0, 1)
/// @return `upper` is infinite when the cap admits no order
/// @source Chang et al. 2022, Theorems 1 and 2, Definition 5
Bound chang_epsilon(ChangScheme scheme, const ChangRun& run, double delta);

/// The same at one given order, without regard to the cap.
/// @param order  in (1, inf)
double chang_epsilon_at(ChangScheme scheme, const ChangRun& run, double order, double delta);

/// Equation (6) or (7).
NoiseShape chang_shape(ChangScheme scheme, double beta, std::uint64_t hold);

/// The schedule of the run, its noise in the units of `run.sigma0`.
NoiseSchedule chang_schedule(ChangScheme scheme, const ChangRun& run);

}  // namespace dpbudget::fl
