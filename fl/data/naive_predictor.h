/// @file
/// What a mean squared error is to be compared with.
#pragma once

#include <optional>

#include "dpbudget/fl/data/dataset.h"

namespace dpbudget::fl {

/// The mean squared error, on the test records, of the mean of all clients' training targets. That mean is computed
/// without noise: neither it nor this number is private.
///
/// @throws InvalidArgument naming targets, when the data have none or no test records, or their squares leave the range
/// of double
/// @source Lowy, Razaviyayn 2023, appendix I.2, where it is called NMSE
double naive_squared_error(const FederatedData& data);

/// sqrt(mean_squared_error / naive): below 1 for what predicts better than the naive predictor. Nothing when that one
/// makes no error.
///
/// @param mean_squared_error  at least 0
/// @param naive               as naive_squared_error gives it, in [0, inf)
/// @throws InvalidArgument naming mean_squared_error or naive
/// @source Lowy, Razaviyayn 2023, appendix I.2
std::optional<double> relative_rmse(double mean_squared_error, double naive);

}  // namespace dpbudget::fl
