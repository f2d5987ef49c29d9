#include "dpbudget/fl/schedule/validation.h"

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {

Milestones followed(const ValidationNoise& noise, const std::vector<ValidationError>& errors) {
  Milestones milestones{noise.factor, {}};
  double best = infinity;
  std::uint64_t without_gain = 0;
  for (const auto& [round, error] : errors) {
    if (error < best) {
      best = error;
      without_gain = 0;
    } else if (++without_gain == noise.patience) {
      milestones.rounds.push_back(round + 1);
      without_gain = 0;
    }
  }
  return milestones;
}

void check(const ValidationNoise& noise) {
  check(NoiseShape(Milestones{noise.factor, {}}));
  require(1 <= noise.patience && noise.patience <= ranges::max_count, "patience", noise.patience,
          "an integer in [1, 2^53]");
  if (!noise.filter) return;
  if (const auto* at = std::get_if<filter::AtOrder>(&*noise.filter)) ranges::order(at->order);
}

}  // namespace dpbudget::fl
