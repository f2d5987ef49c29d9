#include "dpbudget/accounting/plan/normal_mixture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/copies.h"

namespace dpbudget {

using numeric::unit;
namespace {

// Means whose squares a double holds.
constexpr double least_mean = 0x1p-500;
constexpr double largest_mean = 0x1p500;

using Mixture = std::optional<NormalMixture>;

Mixture shifted(const MixtureOfGaussians& event, double outward) {
  NormalMixture mixture;
  std::vector<NormalShift> all;
  for (const auto& [probability, offset] : event.shifts) {
    all.push_back({probability, offset});
    if (probability == 0) continue;
    if (offset == 0) {
      mixture.at_zero += probability;
      continue;
    }
    const double mean = offset / event.noise_multiplier.value() * outward;
    if (!(least_mean < mean && mean < largest_mean)) return std::nullopt;
    mixture.shifts.push_back({probability, mean});
  }
  if (mixture.shifts.empty()) return std::nullopt;
  const double rest = rest_of(all);
  if (rest > rounding_of_probabilities)
    mixture.at_zero += rest;
  else
    mixture.error = 2 * std::abs(rest);  // shares of their sum
  mixture.error += unit * static_cast<double>(all.size());
  return mixture;
}

// Fewer in the sample are counted among the least that are.
constexpr double least_at_zero = 1e-200;
// Of more records, and as few, all are counted as in the sample.
constexpr double least_counted = 1e-250;
// More than what tiny probabilities of `times_drawn` are raised by.
constexpr double raised_to = 1e-299;

NormalMixture group_up(const Occurrences& law, double mean, double negligible) {
  const bool is_all = negligible == 0;
  const TimesDrawn times = times_drawn(law, is_all ? least_counted : negligible);
  const double rate = rate_of_record(law, true);
  NormalMixture mixture{{}, std::exp(law.log_absent())};
  for (const auto& [probability, copies] : times.kinds)
    mixture.shifts.push_back({probability * rate, mean * static_cast<double>(copies) * (1 + unit)});
  if (mixture.at_zero < least_at_zero) mixture.shifts.front().probability += std::exchange(mixture.at_zero, 0);
  mixture.error = times.error + unit * (32 + 2 * std::abs(law.log_absent()));
  if (!is_all)
    mixture.beyond = times.beyond;
  else if (times.beyond > 0)
    mixture.shifts.push_back({times.beyond, mean * law.times().count() * (1 + unit)});
  return mixture;
}

// What is left out counts as none in the sample.
Mixture group_down(const Occurrences& law, double mean, double negligible) {
  const TimesDrawn times = times_drawn(law, negligible);
  const double rate = rate_of_record(law, false);
  const std::uint64_t width = times.kinds.size() > 1 ? times.kinds[1].copies - times.kinds[0].copies : 1;
  NormalMixture mixture;
  for (const auto& [probability, copies] : times.kinds) {
    const double least = probability * rate * (1 - times.error - 16 * unit) - raised_to;
    const std::uint64_t fewest = copies > width ? copies - width + 1 : 1;
    if (least > 0) mixture.shifts.push_back({least, mean * static_cast<double>(fewest) * (1 - unit)});
  }
  if (mixture.shifts.empty()) return std::nullopt;
  mixture.at_zero = std::max(0.0, rest_of(mixture.shifts));
  return mixture;
}

}  // namespace

double NormalMixture::highest_mean() const { return std::ranges::max(shifts, {}, &NormalShift::mean).mean; }

double rest_of(const std::vector<NormalShift>& shifts) {
  double sum = 0;
  double lost = 0;  // by rounding of the sum
  for (const NormalShift& shift : shifts) {
    const double next = sum + shift.probability;
    const double added = next - sum;
    lost += (sum - (next - added)) + (shift.probability - added);
    sum = next;
  }
  return (1 - sum) - lost;
}

std::optional<NormalMixture> normal_mixture(const Event& event, Adjacency adjacency, Rounding rounding,
                                            double negligible) {
  const double outward = rounding == Rounding::up ? 1 + unit : 1 - unit;
  if (const auto* mixture = std::get_if<MixtureOfGaussians>(&event))
    return adjacency == Adjacency::replace_one ? std::nullopt : shifted(*mixture, outward);
  const auto* group = std::get_if<Grouped>(&event);
  const auto sampled = group != nullptr ? sampled_group(*group, rounding) : std::nullopt;
  if (!sampled) return std::nullopt;
  const auto noise = gaussian_noise(sampled->inside, rounding == Rounding::up ? Rounding::down : Rounding::up);
  if (!noise) return std::nullopt;
  const double mean = 1 / *noise * outward * (adjacency == Adjacency::replace_one ? 0.5 : 1);
  if (!(least_mean < mean && mean * static_cast<double>(group->records.value()) < largest_mean)) return std::nullopt;
  const Occurrences& law = sampled->law;
  if (law.is_certain()) return NormalMixture{{{1, mean * static_cast<double>(law.most()) * outward}}};
  return rounding == Rounding::up ? group_up(law, mean, negligible) : group_down(law, mean, negligible);
}

}  // namespace dpbudget
