#include "dpbudget/tools/cli/simulation/moments.h"

#include <cmath>

namespace dpbudget::tools {

Moments moments(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0};
}

}  // namespace dpbudget::tools
