/// @file
/// The convergence theorems of Chen et al. (2024) for DPNFL and AdDPNFL, as published. None of them is a bound to rely
/// on: one is refuted, one says less than it assumes, one applies to no run, one is an order: fl/convergence/proofs.md,
/// 5.1 to 5.4. For clients of equal weight, noble_fedavg_bound at server step 1 bounds DPNFL (fl/convergence/proofs.md,
/// 5.5).
#pragma once

#include <cstdint>

namespace dpbudget::fl {

/// Assumption 1; symbols as in the paper.
struct ChenRun {
  double smoothness;      ///< L, in (0, inf)
  double gradient_bound;  ///< G, of the gradient at any record, in (0, inf)
  double noise_std;       ///< sigma, of the noise in a coordinate of a local step's gradient, in [0, inf)
  double dimension;       ///< d, in [1, inf)
  double clients;         ///< n, in [1, inf)
  double participants;    ///< r, drawn uniformly without replacement in each round, in [1, n]
  double local_steps;     ///< tau, in [1, inf)
};

/// Assumption 2 and Definition 3.
struct ChenStronglyConvex {
  double strong_convexity;   ///< lambda, in (0, L]
  double gradient_variance;  ///< sum_i p_i phi_i^2, of the clients' batches, in [0, inf)
  double gap;                ///< Gamma_s, as local_global_gap computes it, in [0, inf)
  double distance;           ///< of the first model from w*, in (0, inf)
};

/// Definition 4.
struct ChenNonconvex {
  double dissimilarity;  ///< Gamma_n^2, of which largest_gradient_dissimilarity is a lower bound, in [0, inf)
  double gap;            ///< f(w_0) - f*, in (0, inf)
};

/// A right-hand side by what causes each part.
struct ChenTerms {
  double optimisation;   ///< what is left of the start
  double gradients;      ///< by the size of the gradients
  double batches;        ///< by drawing records
  double heterogeneity;  ///< by clients who differ
  double privacy;        ///< by the noise
  double total;
};

/// Of E[f(w_T)] - f* at local steps 4 / (lambda tau t + 16 L tau) in round t. NOT A BOUND: refuted where few clients
/// of large weight are drawn.
/// @param rounds  T, at least 1
/// @throws InvalidArgument naming the argument outside its range
/// @source Chen et al. 2024, Theorem 1
/// @source fl/convergence/proofs.md, 5.1
ChenTerms chen_theorem1_as_published(const ChenRun& run, const ChenStronglyConvex& problem, std::uint64_t rounds);

/// Of the mean of E|grad f(w_t)|^2 over t = 0..T-1. True, but never below 2 G^2, when |grad f| <= G is assumed.
/// @param local_step  alpha_l, in (0, 1 / (200 tau L)), and where n / r is large smaller still, so that Upsilon is
///                    positive
/// @param rounds      T, at least 1
/// @throws InvalidArgument naming the argument outside its range
/// @source Chen et al. 2024, Theorem 2
/// @source fl/convergence/proofs.md, 5.2
ChenTerms chen_theorem2_as_published(const ChenRun& run, const ChenNonconvex& problem, double local_step,
                                     std::uint64_t rounds);

/// AdDPNFL's server.
struct ChenServer {
  double second_momentum;  ///< beta_2, in (0, 1)
  double adaptivity;       ///< pi, in (0, inf)
};

/// The steps that Theorem 3 is for.
struct ChenSteps {
  double global_least, global_most;  ///< alpha_g
  double local_least, local_most;    ///< alpha_l
  double product_most;               ///< alpha_g alpha_l
};

/// At least one of the two ranges is empty, always.
/// @param strong_convexity  lambda, in (0, L]
/// @throws InvalidArgument naming the argument outside its range
/// @source Chen et al. 2024, Theorem 3
/// @source fl/convergence/proofs.md, 5.3
ChenSteps chen_theorem3_steps(const ChenRun& run, double strong_convexity, const ChenServer& server);

/// Of E[f(w_T)] - f*. NOT A BOUND: no steps fulfil its conditions (chen_theorem3_steps), and its terms differ in unit.
/// @param rounds  T, at least 1
/// @throws InvalidArgument naming the argument outside its range
/// @source Chen et al. 2024, Theorem 3
ChenTerms chen_theorem3_as_published(const ChenRun& run, const ChenStronglyConvex& problem, const ChenServer& server,
                                     std::uint64_t rounds);

/// Of the mean of E|grad f(w_t)|^2, each up to a constant that the paper does not give, hence no total: an ORDER.
struct ChenOrders {
  double optimisation;
  double gradients;
  double heterogeneity;
  double privacy;
};

/// Printed with 1 / r where the step's condition has n / r.
/// @param local_step   alpha_l, in (0, min(1 / L, pi r / (10 n (G + alpha_g L))) / (8 tau)]
/// @param global_step  alpha_g, in (0, inf)
/// @param rounds       T, at least 1
/// @throws InvalidArgument naming the argument outside its range
/// @source Chen et al. 2024, Theorem 4
/// @source fl/convergence/proofs.md, 5.4
ChenOrders chen_theorem4_orders(const ChenRun& run, const ChenNonconvex& problem, const ChenServer& server,
                                double local_step, double global_step, std::uint64_t rounds);

}  // namespace dpbudget::fl
