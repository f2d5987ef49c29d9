#include "dpbudget/fl/data/naive_predictor.h"

#include <cmath>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {

double naive_squared_error(const FederatedData& data) {
  require(!data.train.targets.empty() && !data.test.targets.empty(), "targets", "none", "those of regression data");
  const auto mean = [](const std::vector<double>& values, auto&& of) {
    double sum = 0;
    for (const double value : values) sum += of(value) / static_cast<double>(values.size());
    return sum;
  };
  const double predicted = mean(data.train.targets, [](double target) { return target; });
  const double error =
      mean(data.test.targets, [&](double target) { return (target - predicted) * (target - predicted); });
  require(std::isfinite(error), "targets", "out of range once squared", "finite in their squares");
  return error;
}

std::optional<double> relative_rmse(double mean_squared_error, double naive) {
  require(0 <= mean_squared_error, "mean_squared_error", mean_squared_error, "at least 0");
  require(0 <= naive && std::isfinite(naive), "naive", naive, "finite and at least 0");
  if (naive == 0) return std::nullopt;
  return std::sqrt(mean_squared_error / naive);
}

}  // namespace dpbudget::fl
