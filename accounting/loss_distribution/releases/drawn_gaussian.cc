#include "dpbudget/accounting/loss_distribution/releases/drawn_gaussian.h"

#include <algorithm>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/releases/normal_mixture.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/copies.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

constexpr std::size_t most_times = 64;

// More than what tiny probabilities of `times_drawn` are raised by.
constexpr double raised_to = 1e-299;

bool is_one_by_one(const std::vector<DrawnTimes>& times) {
  return !times.empty() && times.size() <= most_times && times.back().copies - times.front().copies + 1 == times.size();
}

}  // namespace

// accounting/plan/proofs.md, 2.3; accounting/loss_distribution/proofs.md, 4f.2
std::optional<Pieces> drawn_gaussian_pieces(const Draws& draws, double noise_multiplier, const Cut& cut) {
  ranges::noise_multiplier(noise_multiplier);
  check(cut);
  const TimesDrawn times = times_drawn(draws, cut.tail);
  if (!is_one_by_one(times.kinds)) return std::nullopt;
  // Probabilities and means are rounded down, and what that leaves counts as not drawn.
  const double rate = rate_of_record(draws, false);
  NormalMixture drawn;
  for (const auto& [probability, copies] : times.kinds)
    if (const double least = probability * rate * (1 - times.error - 16 * unit) - raised_to; least > 0)
      drawn.shifts.push_back({least, static_cast<double>(copies) / noise_multiplier * (1 - unit)});
  if (drawn.shifts.empty()) return std::nullopt;
  drawn.at_zero = std::max(0.0, rest_of(drawn.shifts));
  return normal_mixture_pieces(drawn, Against::zero, cut);
}

}  // namespace dpbudget::loss_distribution
