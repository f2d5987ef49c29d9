/// @file
/// The local step at which a proven bound of noble.h is least: the paper says that such steps exist.
#pragma once

#include <cstdint>

#include "dpbudget/fl/convergence/noble.h"

namespace dpbudget::fl {

/// eta_l for DP-FedAvg at server step eta_g. The bound is nearly flat there, so what is found is within 1e-6 of the
/// least bound, whatever the step's own error.
/// @param server_step  eta_g, in [1, inf)
/// @param rounds       T, at least 1
/// @throws InvalidArgument naming the argument outside its range, or run and losses when no step's bound is finite
double noble_fedavg_best_step(const NobleRun& run, const NobleLosses& losses, const Dissimilarity& dissimilarity,
                              double server_step, std::uint64_t rounds);

/// The same for DP-SCAFFOLD-warm.
double noble_scaffold_best_step(const NobleRun& run, const NobleLosses& losses, double server_step,
                                std::uint64_t rounds);

}  // namespace dpbudget::fl
