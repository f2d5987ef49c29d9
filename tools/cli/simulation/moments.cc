#include "dpbudget/tools/cli/simulation/moments.h"

#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>

namespace dpbudget::tools {

Moments moments(const std::vector<double>& values) {
  namespace statistics = boost::math::statistics;
  return {statistics::mean(values), values.size() > 1 ? std::sqrt(statistics::sample_variance(values)) : 0};
}

}  // namespace dpbudget::tools
