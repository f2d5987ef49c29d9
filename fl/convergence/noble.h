/// @file
/// How far DP-FedAvg and DP-SCAFFOLD-warm of Noble, Bellet and Dieuleveut (2022) can be from the optimum, with every
/// constant. The paper states orders (noble_orders.h) and its proof has a gap; these bounds are proved anew, in
/// fl/convergence/proofs.md, and rounded up (7.1 there). noble_steps.h finds the local step at which they are least.
#pragma once

#include <cstdint>
#include <variant>

namespace dpbudget::fl {

/// Every F_i is nu-smooth, records are drawn uniformly, and clipping never takes effect (Assumptions 2 and 3); symbols
/// as in the paper.
struct NobleRun {
  double smoothness;         ///< nu, in (0, inf)
  double gradient_variance;  ///< varsigma^2, of one record's gradient, in [0, inf)
  double clip_norm;          ///< C, at least the norm of every gradient met, in (0, inf)
  double noise_multiplier;   ///< sigma_g, the noise over the sensitivity 2 C / (s R), in [0, inf)
  double dimension;          ///< d, in [1, inf)
  double users;              ///< M, in [1, inf)
  double participants;       ///< l M, drawn uniformly without replacement in each round, in [1, M]
  double batch;              ///< s R, records of one, in [1, inf)
  double local_steps;        ///< K, in [1, inf)
};

/// Every F_i is convex; mu-strongly where mu is positive.
struct ConvexLosses {
  double distance;              ///< D_0 = |x^0 - x*|, in (0, inf)
  double strong_convexity = 0;  ///< mu, in [0, nu]
};

/// Smoothness alone.
struct NonconvexLosses {
  double gap;  ///< F_0 = F(x^0) - F*, in (0, inf)
};

/// What is assumed of the losses.
using NobleLosses = std::variant<ConvexLosses, NonconvexLosses>;

/// Assumption 4: (1/M) sum_i |grad F_i(x)|^2 <= G^2 + B^2 |grad F(x)|^2 for every x.
struct Dissimilarity {
  double offset;      ///< G, in [0, inf)
  double factor = 1;  ///< B, in [1, inf)
};

/// The steps of clients and server.
struct NobleSteps {
  double local;       ///< eta_l, in (0, inf)
  double server = 1;  ///< eta_g, in [1, inf)
};

/// For convex losses of E[F(x)] - F* at x the mean of x^0, ..., x^(T-1), where x^t counts (1 - mu eta / 2)^-t and
/// eta = K eta_g eta_l; otherwise of the mean of E|grad F(x^t)|^2 over the same t. Each term is a part of the total.
struct NobleBound {
  double optimisation;     ///< what is left of the start
  double gradients;        ///< by drawing records
  double privacy;          ///< by the noise
  double client_sampling;  ///< by drawing users who differ; 0 when all take part, and with control variates
  double drift;  ///< by users who differ and step on their own; 0 for one local step, and with control variates
  double total;
};

/// @throws InvalidArgument naming the first value outside its range
void check(const NobleRun& run, const NobleLosses& losses, std::uint64_t rounds);
/// @throws InvalidArgument naming the number that is outside its range
void check(const Dissimilarity& dissimilarity);

/// DP-FedAvg. The steps of Theorem C.2, K eta_g eta_l <= 1 / (8 (1 + B^2) nu), are always small enough; so are larger
/// ones, up to where the bound becomes infinite.
/// @param rounds  T, at least 1
/// @throws InvalidArgument naming the argument outside its range, or local_step, when it is too large for the bound
/// @source fl/convergence/proofs.md, 1.1 to 3.1; Noble et al. 2022, Theorem C.2, whose terms these are
NobleBound noble_fedavg_bound(const NobleRun& run, const NobleLosses& losses, const Dissimilarity& dissimilarity,
                              const NobleSteps& steps, std::uint64_t rounds);

/// DP-SCAFFOLD-warm, every user having taken part in the warm start, whose rounds are not among the T. Nothing depends
/// on how the users differ. The steps of Theorem C.1, K eta_g eta_l = l^(2/3) / (24 nu), are small enough but where l
/// is below about (36 l M)^(-3/2): one user of several hundred.
/// @param rounds  T, at least 1
/// @throws InvalidArgument naming the argument outside its range, or local_step, when it is too large for the bound
/// @source fl/convergence/proofs.md, 1.1 to 2.4 and 4.1; Noble et al. 2022, Theorem C.1, whose terms these are
NobleBound noble_scaffold_bound(const NobleRun& run, const NobleLosses& losses, const NobleSteps& steps,
                                std::uint64_t rounds);

}  // namespace dpbudget::fl
