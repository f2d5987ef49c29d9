/// @file
/// The noise that Lowy and Razaviyayn (2023) prescribe for ISRL-DP training, as printed.
#pragma once

namespace dpbudget::fl {

// Noise variances per coordinate, on the mean of K gradients of norm at most L that a silo of n records draws in each
// of R rounds. Adjacency: replace_one, of one record of a silo. Each function throws InvalidArgument naming the
// argument outside its range. Results have a relative error below 1e-14.

/// log(2.5 R K / (delta n)), a factor of the next formula, which claims nothing where it is not positive.
/// @param rounds   R, at least 1
/// @param batch    K, at least 1 and at most `records`
/// @param records  n, at least 1
/// @param delta    in (0, 1)
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), Theorem D.1
double lowy_advanced_composition_logarithm(double rounds, double batch, double records, double delta);

/// sigma^2 = 256 L^2 R log(2.5 R K / (delta n)) log(2 / delta) / (n^2 epsilon^2), the closed form alone: it makes the
/// silo's messages (epsilon, delta)-DP where `require_lowy_advanced_composition` passes, and claims nothing elsewhere.
/// @param lipschitz  L, in (0, inf)
/// @param rounds     R, at least 1
/// @param batch      K, at least 1 and at most `records`
/// @param records    n, at least 1
/// @param epsilon    in (0, inf)
/// @param delta      in (0, 1), below 2.5 R K / n
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), Theorem D.1 by way of appendix D.8: each round is
///         (epsilon', delta/(2R))-DP with epsilon' = epsilon / (2 sqrt(2 R log(2/delta))), advanced composition
double lowy_advanced_composition_variance(double lipschitz, double rounds, double batch, double records, double epsilon,
                                          double delta);

/// Checks what that noise rests on: K >= epsilon n / (4 sqrt(2 R log(2/delta))), where the Gaussian mechanism's
/// classical theorem ends, and epsilon <= 2 log(2/delta), where advanced composition's simple form does.
/// @throws Unsupported naming batch or epsilon, the first that does not meet it
void require_lowy_advanced_composition(double rounds, double batch, double records, double epsilon, double delta);

/// sigma^2 = 8 L^2 R log(1/delta) / (n^2 epsilon^2), which the paper's experiments use by reference to Abadi et al.
/// 2016, Theorem 1, whose constants are unspecified. An ESTIMATE, and FALSE for large epsilon: with n = 1000, R = 25, K
/// = 424 and delta = 1e-6 a Poisson accountant gives 0.591 for 0.75 and 2.82 for 3, but 35.9 where 18 is claimed. For
/// the paper's local SGD (R K steps on one record each) it claims 3 where the truth is 282. Never use it without
/// accounting for the noise by a plan.
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), section 4 and its appendix on experiments
double lowy_experiment_variance(double lipschitz, double rounds, double records, double epsilon, double delta);

/// One round and all of them of shuffled MB-SGD.
struct LowyShuffled {
  double noise_multiplier;  ///< noise on a record's clipped gradient over 2 L, in (0, inf)
  double reports;           ///< M K, shuffled together, at least 1
  double rate;              ///< M K / (N n), at which a record is drawn, in (0, 1]
  double rounds;            ///< R, at least 1
};

/// epsilon of shuffled MB-SGD at `delta`, by the chain of Theorem G.1's proof, whose constants are lost: each report
/// is (e0, d0)-DP by the classical Gaussian mechanism, e0 = sqrt(2 log(1.25 / d0)) / noise at most 1; the reports of a
/// round are shuffled (Feldman, McMillan, Talwar 2021, Theorem 3.8); log(1 + rate (e^e - 1)) and rate d by sampling;
/// advanced composition of the rounds. Half of delta goes to the composition, the rest in equal parts to shuffling and
/// the d0. An ESTIMATE: records of one silo are sampled together, so that drawing silos does not amplify for a record
/// as drawing records does.
/// @param delta  in (0, 1)
/// @throws InvalidArgument naming the argument outside its range; Unsupported naming the precondition that fails
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), Theorem G.1, restored from its proof
double lowy_shuffled_epsilon(const LowyShuffled& run, double delta);

}  // namespace dpbudget::fl
