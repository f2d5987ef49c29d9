/// @file
/// Noisy local SGD: steps on one record each, models averaged.
#pragma once

#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

/// Averages local steps, on batches of one record each: the paper's baseline.
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), appendix I, as restored from its description
class LocalSgd final : public LocalSteps {};

}  // namespace dpbudget::fl
