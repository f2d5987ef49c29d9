/// @file
/// How far clients' data lie apart, by the quantities that convergence theorems use. They are computed from the
/// training records without noise: none of them is private, and no ledger accounts for them.
///
/// F_i is the mean loss over client i's training records plus regularisation / 2 |w|^2, and F the weighted mean of the
/// F_i.
#pragma once

#include <cstdint>
#include <span>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// The clients' weights p_i in F: 1 / N, or their share of the training records.
enum class ClientWeights { equal, by_records };

/// sum_i p_i |grad F_i(w) - grad F(w)|^2 at w = `parameters`. A regulariser would not change it. Takes memory for one
/// gradient per client.
///
/// @throws InvalidArgument naming parameters, when it is of another length than the model, or what check(data) and the
/// model refuse, a gradient that is not finite included
/// @source Lowy, Razaviyayn 2023, (28), whose upsilon^2 is the supremum over w at equal weights; Chen et al. 2024,
/// Definition 4, whose Gamma_n^2 is an upper bound over w at weights by records
double gradient_dissimilarity(const Model& model, const FederatedData& data, const Vector& parameters,
                              ClientWeights weights);

/// The largest gradient_dissimilarity at the given points: a lower bound on the supremum that upsilon^2 and Gamma_n^2
/// stand for, which no finite number of points bounds from above.
///
/// @throws InvalidArgument naming points, when there are none, or as gradient_dissimilarity
double largest_gradient_dissimilarity(const Model& model, const FederatedData& data, std::span<const Vector> points,
                                      ClientWeights weights);

/// What the clients' gradients are at a point that should be F's minimiser.
struct AtOptimum {
  double dissimilarity;  ///< (1/N) sum_i |grad F_i(w)|^2
  double gradient_norm;  ///< |grad F(w)|: 0 at the minimiser, so it says how far the point is from being one
};

/// Lowy's heterogeneity parameter of the experiments, zeta_*^2 of Woodworth et al.: zero when all clients have the same
/// minimiser. Clients count alike.
///
/// @param optimum         a minimiser of F, found by the caller
/// @param regularisation  of F; finite, not negative
/// @throws InvalidArgument naming optimum or regularisation, or as gradient_dissimilarity
/// @source Lowy, Razaviyayn 2023, appendix I; Woodworth, Patel, Srebro 2020
AtOptimum dissimilarity_at_optimum(const Model& model, const FederatedData& data, const Vector& optimum,
                                   double regularisation);

/// Gamma_s = sum_i p_i (F_i(w*) - F_i(w_i*)), weights by records: not negative when the points are the minimisers, and
/// zero when w* minimises every F_i. For a mu-strongly convex F_i, a w_i* that is not quite the minimiser makes it too
/// small by p_i |grad F_i(w_i*)|^2 / (2 mu) at most.
///
/// @param optimum         w*, a minimiser of F, found by the caller
/// @param client_optima   w_i*, minimisers of the F_i, one per client
/// @param regularisation  of F and the F_i; finite, not negative
/// @throws InvalidArgument naming optimum, client_optima, regularisation or, when one is not finite, losses; or what
/// check(data) refuses
/// @source Chen et al. 2024, Definition 3; Li et al. 2020, "On the convergence of FedAvg on non-iid data"
double local_global_gap(const Model& model, const FederatedData& data, const Vector& optimum,
                        std::span<const Vector> client_optima, double regularisation);

}  // namespace dpbudget::fl
