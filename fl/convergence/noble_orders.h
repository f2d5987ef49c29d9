/// @file
/// The utility theorems of Noble, Bellet and Dieuleveut (2022) as they are stated: ORDERS OF MAGNITUDE, with every
/// constant left out. They say how terms grow and shrink, and bound nothing; bounds are in noble.h.
#pragma once

#include <cstdint>

#include "dpbudget/fl/convergence/noble.h"

namespace dpbudget::fl {

/// Each up to a constant that the paper does not give, hence no total. Of E[F] - F* at a weighted mean of the iterates
/// for convex losses, else of E|grad F|^2 at a random iterate.
struct NobleOrders {
  double optimisation;
  double gradients;        ///< by drawing records
  double privacy;          ///< by the noise; Sigma_g = 2 C sqrt(2 d) sigma_g / (s R) in it
  double client_sampling;  ///< 0 when all take part, and with control variates
  double drift;            ///< 0 with control variates
};

/// DP-SCAFFOLD-warm at eta_g = sqrt(l M) and the largest local step of its proof. The non-convex case is printed
/// without the sqrt(nu) that its first terms need to have the unit of |grad F|^2: it is put in.
/// @param rounds  T, at least 1; with strong convexity at least max(108 / l, 48 nu / (mu l^(2/3)))
/// @throws InvalidArgument naming the argument outside its range
/// @source Noble et al. 2022, Theorem C.1
NobleOrders noble_scaffold_orders(const NobleRun& run, const NobleLosses& losses, std::uint64_t rounds);

/// DP-FedAvg at eta_g = sqrt(l M) and eta_l = 1 / (8 (1 + B^2) nu K eta_g). Powers of nu in the non-convex case are
/// those that give |grad F|^2's unit: sqrt(nu), sqrt(nu), nu^(2/3), nu.
/// @param rounds  T, at least 1; with strong convexity at least 8 (1 + B^2) nu / mu
/// @throws InvalidArgument naming the argument outside its range
/// @source Noble et al. 2022, Theorem C.2
NobleOrders noble_fedavg_orders(const NobleRun& run, const NobleLosses& losses, const Dissimilarity& dissimilarity,
                                std::uint64_t rounds);

/// What a third party may learn.
struct NobleBudget {
  double epsilon;  ///< in (0, 1)
  double delta;    ///< in (0, 1), below T l
  double records;  ///< R of a user, at least the batch, finite
};

/// sigma_g* = s sqrt(l T K log(2 T l / delta) log(2 / delta)) / (epsilon sqrt(M)), "approximately" enough noise: an
/// ORDER too. The noise that a budget needs is solved for from a plan, not taken from here. run.noise_multiplier is
/// left alone.
/// @throws InvalidArgument naming the argument outside its range
/// @source Noble et al. 2022, before Theorem 4.2
double noble_noise_order(const NobleRun& run, const NobleBudget& budget, std::uint64_t rounds);

/// Theorem 4.2, the convex cases of C.1 and C.2 at noise sigma_g*, which replaces run.noise_multiplier. The privacy
/// term is then D_0 C sqrt(8 d log(2 T l / delta) log(2 / delta)) / (epsilon M R), printed without the constants.
/// @param distance  D_0, in (0, inf)
/// @throws InvalidArgument naming the argument outside its range
/// @source Noble et al. 2022, Theorem 4.2
NobleOrders noble_scaffold_orders(const NobleRun& run, double distance, const NobleBudget& budget,
                                  std::uint64_t rounds);
/// The same of DP-FedAvg.
NobleOrders noble_fedavg_orders(const NobleRun& run, double distance, const Dissimilarity& dissimilarity,
                                const NobleBudget& budget, std::uint64_t rounds);

}  // namespace dpbudget::fl
