/// @file
/// DP-FedAvg and DP-FedSGD, and without noise FedAvg and FedSGD.
#pragma once

#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

/// Averages local steps.
/// @source Noble et al. 2022, Algorithm 2
class FederatedAveraging final : public LocalSteps {};

}  // namespace dpbudget::fl
