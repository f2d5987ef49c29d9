#include "dpbudget/fl/round/adaptive_clipping.h"

#include <cmath>
#include <numeric>

namespace dpbudget::fl {

double share_below(std::span<const ReleaseRun> releases) {
  double shares = 0;
  double count = 0;
  for (const ReleaseRun& run : releases) {
    shares += run.count_below / static_cast<double>(run.sample);
    count += static_cast<double>(run.count);
  }
  return shares / count;
}

double adapted_norm(const SettledRun& run, double clip_norm, std::span<const double> shares) {
  if (shares.empty()) return clip_norm;
  const double share = std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
  return clip_norm * std::exp(-run->clip_learning_rate.value() * (share - run->clip_quantile.value()));
}

}  // namespace dpbudget::fl
