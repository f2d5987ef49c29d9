#include "dpbudget/accounting/loss_distribution/small_losses.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::unit;
namespace {

// How many of a distribution's points are at most `threshold`.
std::size_t points_up_to(const LossDistribution& distribution, double threshold) {
  const double point = std::floor((threshold - distribution.loss(0)) / distribution.grid.mesh);
  return to_integer<std::size_t>(std::clamp(point + 1, 0.0, static_cast<double>(distribution.mass.size())), "points");
}

LossDistribution small_losses(const LossDistribution& whole, double threshold) {
  const std::size_t end = points_up_to(whole, threshold);
  const std::size_t begin = std::min(points_up_to(whole, -threshold), end - std::min<std::size_t>(end, 1));
  const auto at = [&](std::size_t i) { return whole.mass.begin() + static_cast<std::ptrdiff_t>(i); };
  LossDistribution small{.side = whole.side,
                         .grid = whole.grid,
                         .first = whole.first + static_cast<std::int64_t>(begin),
                         .mass = {at(begin), at(end)},
                         .at_infinity = 0,
                         .slack = 0};
  if (whole.side == Side::upper && begin > 0)
    small.mass.front() = numeric::raised(std::accumulate(at(0), at(begin + 1), 0.0), unit * static_cast<double>(begin));
  return small;
}

}  // namespace

double mass_above(const std::vector<Part>& parts, double threshold) {
  double total = 0;
  for (const Part& part : parts) {
    const LossDistribution& distribution = *part.distribution;
    const std::size_t first = points_up_to(distribution, threshold);
    double above = distribution.at_infinity;
    for (std::size_t i = distribution.mass.size(); i-- > first;) above += distribution.mass[i];
    total +=
        static_cast<double>(part.count) * numeric::raised(above, unit * static_cast<double>(distribution.mass.size()));
  }
  return numeric::raised(total, unit * static_cast<double>(parts.size() + 1));
}

double mean_below(const std::vector<Part>& parts, double threshold) {
  double total = 0;
  for (const Part& part : parts) {
    const LossDistribution& distribution = *part.distribution;
    const std::size_t end = points_up_to(distribution, -threshold);
    double sum = 0;
    for (std::size_t i = 0; i < end; ++i)
      if (distribution.mass[i] > 0) sum += distribution.mass[i] * std::exp(-distribution.loss(i));
    const double terms = static_cast<double>(distribution.mass.size()) + 4 + distribution.reach();
    total += static_cast<double>(part.count) * numeric::raised(sum, unit * terms);
  }
  return numeric::raised(total, unit * static_cast<double>(parts.size() + 1));
}

SmallLosses::SmallLosses(const std::vector<Part>& parts, double threshold) : greatest_(-infinity) {
  for (const Part& part : parts) {
    if (part.count == 0) continue;
    const LossDistribution& small = distributions_.emplace_back(small_losses(*part.distribution, threshold));
    counts_.push_back(static_cast<double>(part.count));
    if (!small.mass.empty()) greatest_ = std::max(greatest_, small.loss(small.mass.size() - 1));
  }
}

SmallLosses::Ranges SmallLosses::ranges(double order) const {
  double sum = 0;
  double error = 0;
  LogRange one{infinity, -infinity};
  for (std::size_t i = 0; i < distributions_.size(); ++i) {
    const auto [value, error_of_one] = log_moment(distributions_[i], order);
    sum += counts_[i] * value;
    error += counts_[i] * (error_of_one + unit * static_cast<double>(counts_.size() + 2) * std::abs(value));
    one = {std::min(one.least, value - error_of_one), std::max(one.greatest, value + error_of_one)};
  }
  error *= 1 + unit * static_cast<double>(counts_.size() + 2);
  const double rounding = 4 * unit * (std::abs(sum) + std::max(std::abs(one.least), std::abs(one.greatest)));
  return {{sum - error - rounding, sum + error + rounding},
          {sum - error - one.greatest - rounding, sum + error - one.least + rounding}};
}

}  // namespace dpbudget::loss_distribution
