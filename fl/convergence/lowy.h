/// @file
/// How far the algorithms of Lowy and Razaviyayn (2023) can be from the optimum. The paper's formulas are lost in the
/// text at hand: what its words fix is restored, and proved anew in fl/convergence/proofs.md, 6.1 to 6.4. Bounds and
/// variances are rounded up (7.1 there).
#pragma once

#include <cstdint>

namespace dpbudget::fl {

/// The objective F is convex and smooth, and has a minimiser w* in the ball that models stay in; a round's gradient is
/// the mean of what the participants release, and clipping never takes effect. Symbols as in the paper.
struct LowyRun {
  double smoothness;          ///< beta, of F with its regulariser, in (0, inf)
  double gradient_variance;   ///< phi^2, of one record's gradient within its silo, in [0, inf)
  double silo_heterogeneity;  ///< upsilon^2, mean over silos of |grad F_i - grad F|^2 at its largest, in [0, inf)
  double noise_std;           ///< sigma, of the noise in a coordinate of one release, in [0, inf)
  double dimension;           ///< d, in [1, inf)
  double silos;               ///< N, in [1, inf)
  double participants;        ///< M, drawn uniformly without replacement in each round, in [1, N]
  double batch;               ///< K, records of one, in [1, inf)
};

/// V^2 by what causes it.
struct LowyVariance {
  double batches;  ///< phi^2 / (M K)
  double silos;    ///< (1 - (M - 1) / (N - 1)) upsilon^2 / M
  double privacy;  ///< d sigma^2 / M

  double total() const { return batches + silos + privacy; }
};

/// The variance of a round's gradient.
/// @throws InvalidArgument naming the argument outside its range
/// @source Lowy, Razaviyayn 2023, Lemma E.5
/// @source fl/convergence/proofs.md, 6.1
LowyVariance lowy_variance(const LowyRun& run);

/// Of E[F(output)] - F*. Each term is a part of the total.
struct LowyBound {
  double optimisation;  ///< what is left of the start
  double batches;       ///< by drawing records
  double silos;         ///< by drawing silos that differ
  double privacy;       ///< by the noise
  double total;
};

/// Noisy MB-SGD at a constant step eta < 1 / beta; the output is the mean of w_0, ..., w_(R-1):
/// (D^2 / (eta R) + eta V^2) / (2 (1 - beta eta)).
/// @param distance  D = |w_0 - w*|, in (0, inf)
/// @param step      eta, in (0, 1 / beta)
/// @param rounds    R, at least 1
/// @throws InvalidArgument naming the argument outside its range
/// @source fl/convergence/proofs.md, 6.2
LowyBound lowy_minibatch_bound(const LowyRun& run, double distance, double step, std::uint64_t rounds);

/// The step at which that is least.
double lowy_minibatch_best_step(const LowyRun& run, double distance, std::uint64_t rounds);

/// As the paper bounds the same, by the size of the gradients and not by how they vary: D^2 / (2 eta R) + eta (L^2 + d
/// sigma^2 / M) / 2. Smoothness is not needed; batches and silos are in `batches`, as L^2.
/// @param lipschitz  L, at least the norm of every record's gradient met, in (0, inf)
/// @param step       eta, in (0, inf)
/// @throws InvalidArgument naming the argument outside its range
/// @source Lowy, Razaviyayn 2023, Lemma D.7 part 1, restored from its proof
LowyBound lowy_lemma_d7(const LowyRun& run, double lipschitz, double distance, double step, std::uint64_t rounds);

/// D / sqrt(R (L^2 + d sigma^2 / M)): where that is least.
double lowy_lemma_d7_best_step(const LowyRun& run, double lipschitz, double distance, std::uint64_t rounds);

/// A round's step, and what its model w_r counts in the output.
struct StepAndWeight {
  double step;
  double weight;
};

/// Stich's for round r, from 0, of R, of a mu-strongly convex objective for which a step of 1 / h is small enough:
///
///     R <= h / mu:  eta = 1 / h, gamma_r = (1 - mu / h)^-(r + 1), of which only ratios matter;
///     else the first ceil(R / 2) rounds eta = 1 / h and weight 0, then eta_r = 2 / (mu (2 h / mu + r - r0)) and
///     gamma_r = (2 h / mu + r - r0)^2.
///
/// @source Stich 2019; Lowy, Razaviyayn 2023, Lemma D.6
StepAndWeight stich_step(double strong_convexity, double largest, double rounds, double round);

/// Noisy MB-SGD with stich_step at h = beta, by the size of the gradients as lowy_lemma_d7. At most 10^7
/// rounds, in proportion to which it takes time.
/// @param strong_convexity  mu, in (0, beta]
/// @throws InvalidArgument naming the argument outside its range
/// @source Lowy, Razaviyayn 2023, Lemma D.7 part 2, whose constants are lost; fl/convergence/proofs.md, 6.2
LowyBound lowy_stich_bound(const LowyRun& run, double lipschitz, double strong_convexity, double distance,
                           std::uint64_t rounds);

/// AC-SA, Algorithm 1, with alpha_r = 2 / (r + 1) and eta_r = 4 gamma / (r (r + 1)); for mu = 0 and gamma >= 2 beta at
/// most 2 gamma D^2 / (R (R + 1)) + (2 R + 1) V^2 / (6 gamma). At most 10^7 rounds, in proportion to which it takes
/// time.
/// @param strong_convexity  mu, in [0, beta]
/// @param gamma             so large that mu + eta_r > beta alpha_r^2 in all rounds: 2 beta is always; finite
/// @throws InvalidArgument naming the argument outside its range
/// @source fl/convergence/proofs.md, 6.3; Ghadimi, Lan 2012
LowyBound lowy_accelerated_bound(const LowyRun& run, double strong_convexity, double distance, double gamma,
                                 std::uint64_t rounds);

/// The gamma, at least 2 beta, at which that closed form is least: exact for mu = 0, else a good one.
double lowy_accelerated_best_gamma(const LowyRun& run, double distance, std::uint64_t rounds);

/// A stage of multi-stage AC-SA.
struct AcceleratedStage {
  double rounds;  ///< R_k
  double gamma;
};

/// R_k = ceil(max{4 sqrt(2 beta / mu), 128 V^2 / (3 mu Delta 2^-(k+1))}) and gamma_k = max{2 beta, sqrt(mu V^2 R_k
/// (R_k + 1)(R_k + 2) / (3 Delta 2^-(k-1)))}.
/// @param number  k, from 1
/// @source Lowy, Razaviyayn 2023, appendix E.1; Ghadimi, Lan 2013, as formulas restored from both
AcceleratedStage accelerated_stage(double smoothness, double strong_convexity, double variance, double gap,
                                   double number);

/// Multi-stage AC-SA, the last stage of which ends with the run: stage after stage by lowy_accelerated_bound's proof,
/// |w - w*|^2 being 2 (F(w) - F*) / mu at most.
/// @param strong_convexity  mu, in (0, beta]
/// @param gap               Delta, at least F(w_0) - F*, in (0, inf)
/// @throws InvalidArgument naming the argument outside its range
/// @source fl/convergence/proofs.md, 6.4
LowyBound lowy_multi_stage_bound(const LowyRun& run, double strong_convexity, double gap, std::uint64_t rounds);

/// What a record may lose to all but its own silo.
struct LowyBudget {
  double records;  ///< n of a silo, in [1, inf)
  double epsilon;  ///< in (0, inf)
  double delta;    ///< in (0, 1)
};

/// Excess population risks up to a constant and logarithms that the text does not keep, hence no total: ORDERS.
struct LowyOrders {
  double statistical;  ///< what no algorithm that sees the same records goes below
  double privacy;
};

/// Noisy MB-SGD, i.i.d. silos: L D / sqrt(n M) and L D sqrt(d log(1 / delta)) / (epsilon n sqrt(M)), or with mu > 0
/// L^2 / (mu n M) and L^2 d log(1 / delta) / (mu epsilon^2 n^2 M).
/// @param strong_convexity  mu, in [0, inf)
/// @throws InvalidArgument naming the argument outside its range
/// @source Lowy, Razaviyayn 2023, Theorem 2.1 (D.10), restored
LowyOrders lowy_theorem21_orders(const LowyRun& run, double lipschitz, double strong_convexity, double distance,
                                 const LowyBudget& budget);

/// One-pass AC-SA, silos that differ, all of them taking part: phi D / sqrt(n M) and (beta^(1/4) L D^(3/2) sqrt(d
/// log(1 / delta)) / (epsilon n sqrt(M)))^(4/5), or with mu > 0 phi^2 / (mu n M) and sqrt(beta / mu) L^2 d log(1 /
/// delta) / (mu epsilon^2 n^2 M).
/// @throws InvalidArgument naming the argument outside its range, or participants where not all take part
/// @source Lowy, Razaviyayn 2023, Theorem 3.1 (E.1), restored
LowyOrders lowy_theorem31_orders(const LowyRun& run, double lipschitz, double strong_convexity, double distance,
                                 const LowyBudget& budget);

}  // namespace dpbudget::fl
