/// @file
/// How far a run's models are from the best one, and its clients from one another.
#pragma once

#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/run/run.h"
#include "dpbudget/fl/simulate/runner.h"

namespace dpbudget::tools {

/// "log10_gap": log10(F(x) - F*) at most, F the run's objective, its regulariser included, and F* its least value,
/// found to `gap`, but for rounding; and "gradient_dissimilarity", sum_i p_i |grad F_i(x) - grad F(x)|^2. Neither is
/// private. `model` and `data` outlive it.
/// @throws InvalidArgument naming --optimum, where clients have weights of their own; model unless it is convex,
///         regularisation unless positive, or gap
fl::Measure optimality(const fl::SettledRun& run, const fl::Model& model, const fl::FederatedData& data, double gap);

/// The names of what it measures.
std::vector<std::string> optimality_names();

}  // namespace dpbudget::tools
