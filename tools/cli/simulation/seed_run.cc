#include "dpbudget/tools/cli/simulation/seed_run.h"

#include "dpbudget/fl/data/naive_predictor.h"

namespace dpbudget::tools {

std::optional<double> SeedRun::relative_rmse(const fl::Metrics& metrics) const {
  return naive_error ? fl::relative_rmse(metrics.test_score, *naive_error) : std::nullopt;
}

double SeedRun::score_of_last_tenth() const {
  const double first = 0.9 * static_cast<double>(result.last.round);
  double sum = 0;
  double count = 0;
  for (const fl::Metrics& metrics : result.history) {
    if (static_cast<double>(metrics.round) < first) continue;
    sum += metrics.test_score;
    ++count;
  }
  return sum / count;
}

}  // namespace dpbudget::tools
