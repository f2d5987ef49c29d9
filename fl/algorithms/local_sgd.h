/// @file
/// Noisy local SGD: steps on one record each, models averaged.
#pragma once

#include "dpbudget/fl/algorithms/averaging.h"

namespace dpbudget::fl {

/// What local SGD reads of a run.
struct LocalSgdOptions : AveragingOptions, RadiusOption {
  static auto options() { return std::tuple_cat(AveragingOptions::options(), RadiusOption::options()); }
};

/// Averages local steps, on batches of one record each: the paper's baseline.
/// @source Lowy, Razaviyayn 2023 (arXiv:2106.09779), appendix I, as restored from its description
class LocalSgd final : public LocalSteps {
 public:
  OptionList options() const override { return OptionList::of<LocalSgdOptions>(); }
};

}  // namespace dpbudget::fl
