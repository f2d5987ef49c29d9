#include "dpbudget/accounting/renyi/shuffled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numbers>
#include <optional>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/amplified.h"
#include "dpbudget/accounting/renyi/moment.h"
#include "dpbudget/accounting/shuffle/clones/excess_moment.h"
#include "dpbudget/accounting/shuffle/clones/moment_series.h"
#include "dpbudget/accounting/shuffle/clones/ranges.h"

namespace dpbudget::shuffle {
namespace {

using numeric::log_add;
using numeric::unit;

// Numbers of clones this many to a standard deviation are as good as all.
constexpr double per_deviation = 4;

double divergence(double log_excess, double order) {
  // log(1 + excess) / (order - 1).
  return (log_excess > 40 ? log_excess : std::log1p(std::exp(log_excess))) / (order - 1);
}

// So many signs have outcomes that are worth visiting one by one where a bracket shall be as narrow as can be; and how
// narrow it is beyond.
constexpr double most_signs_one_by_one = 0x1p26;
constexpr double width_beyond = 1e-3;

// Moments fall about with the number of signs, so that blocks this wide cost half as much at most.
constexpr Width curve_width{1e-2};

// A chord over this gap is at most its square / 4 above a cumulant that grows like the square of the order.
constexpr double every_order = 16;
// Searches walk by multiples of it.
constexpr double gap_of_orders = 1.0 / 64;
constexpr double gap_of_whole_orders = 1.0 / 32;

// A curve this near to its limit is as good as there.
constexpr double flat = 1e-4;

class ShuffledCurve final : public renyi::Curve {
 public:
  explicit ShuffledCurve(const ClonePair& pair) : pair_(pair), series_(pair) {}

  // Where the series does not do, by chords of the cumulant, which is convex, between orders that are computed once:
  // theorems on samples ask for every whole order up to a thousand, and a search for a count asks for the best of each.
  double operator()(double order) const override {
    if (const std::optional<double> found = by_series(order)) return *found;
    if (order != std::floor(order)) return between(order, gap_of_orders);
    return order <= every_order ? at(order) : between(order, gap_of_whole_orders);
  }
  double at_infinity() const override { return pair_.local_epsilon; }
  bool is_nondecreasing() const override { return true; }

 private:
  double between(double order, double gap) const {
    const double step = std::floor(std::log(order - 1) / gap);
    const double lower = std::min(order, 1 + std::exp(step * gap));
    const double upper = std::max(order, 1 + std::exp((step + 1) * gap));
    if (order == lower || order == upper || !(1 < lower && lower < upper)) return at(order);
    return renyi::interpolate(order, lower, at(lower), upper, at(upper));
  }

  double at(double order) const {
    if (const std::optional<double> found = by_series(order)) return *found;
    const auto above = known_.lower_bound(order);
    if (above != known_.end() && above->first == order) return above->second;
    // Divergences do not fall in the order, and are at most local_epsilon.
    const bool is_flat = above != known_.begin() && std::prev(above)->second >= (1 - flat) * pair_.local_epsilon;
    const double found = is_flat ? pair_.local_epsilon : renyi_bracket(pair_, order, curve_width).upper;
    known_.emplace_hint(above, order, found);
    return found;
  }

  std::optional<double> by_series(double order) const {
    const std::optional<double> log_excess = series_.log_excess(order);
    if (!log_excess) return {};
    return std::min(divergence(*log_excess + pair_.log_share, order) * (1 + 8 * unit), pair_.local_epsilon);
  }

  ClonePair pair_;
  mutable MomentSeries series_;
  mutable std::map<double, double> known_;
};

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

void require_integer_order(double order, double most) {
  require(2 <= order && order <= most && order == std::floor(order), "order", order,
          fmt::format("an integer in [2, {:.0f}]", most));
}

}  // namespace

numeric::Bracket renyi_bracket(const ClonePair& pair, double order, Width width) {
  dpbudget::ranges::order(order);
  const ExcessMoment moment(pair.local_epsilon, order);
  // A moment takes some deviations on either side, of several logarithms a term.
  const Stride stride = stride_of(pair, width, 1024);
  const auto at = [&](double m) {
    const double finest = m < most_signs_one_by_one ? unit : width_beyond;
    return moment(m, std::max(finest, width.relative / 16));
  };
  const numeric::Bracket mean = log_mean(pair.count, at, stride, std::max(0x1p-56, width.relative * 1e-3));
  const auto rounded = [&](double log_excess, double sign) {
    const double value = divergence(log_excess + pair.log_share, order);
    return value * (1 + sign * 8 * unit);
  };
  // At orders of 1e18 and more a sum may be no number: then both ends are what is known of every order.
  return {std::fmax(0, rounded(mean.lower, -1)), std::fmin(rounded(mean.upper, 1), pair.local_epsilon)};
}

double renyi_divergence(const ClonePair& pair, double order) {
  dpbudget::ranges::order(order);
  const double deviation = pair.count.deviation();
  if (deviation < 16 * per_deviation) {
    const numeric::Bracket found = renyi_bracket(pair, order, {0});
    return found.lower + (found.upper - found.lower) / 2;
  }
  const ExcessMoment moment(pair.local_epsilon, order);
  const double step = std::floor(deviation / per_deviation);
  double log_sum = -infinity;
  const auto add = [&](double from, double by) {
    for (double c = from; 0 <= c && c <= pair.count.others(); c += by) {
      const double term = pair.count.log_mass(c).middle() + moment.reference(c + 1);
      log_sum = log_add(log_sum, term);
      if (term < log_sum - 40) return;
    }
  };
  add(pair.count.mode(), step);
  add(pair.count.mode() - step, -step);
  return divergence(log_sum + std::log(step) + pair.log_share, order);
}

renyi::CurvePtr renyi_curve(const ClonePair& pair) { return std::make_shared<ShuffledCurve>(pair); }

double girgis_renyi(double local_epsilon, double reports, double order) {
  clone_ranges::local_epsilon(local_epsilon);
  clone_ranges::reports(reports);
  require_integer_order(order, 0x1p53);
  const double log_needed = 4 * std::log(order) + 5 * local_epsilon + std::log(9.0);
  if (!(log_needed <= std::log(reports)))
    throw Unsupported(fmt::format(
        "order^4 e^(5 local_epsilon) is {:.6g}, but the theorem needs at most reports / 9 = {:.6g}; the exact clone "
        "pair has no such precondition",
        std::exp(log_needed) / 9, reports / 9));
  const double growth = std::expm1(local_epsilon);
  return std::log1p(order / reports * (order - 1) * 2 * growth * growth) / (order - 1);
}

double girgis_renyi_general(double local_epsilon, double reports, double order) {
  clone_ranges::local_epsilon(local_epsilon);
  clone_ranges::reports(reports);
  require_integer_order(order, 0x1p16);
  const double log_copies = std::log(std::floor((reports - 1) / (2 * std::exp(local_epsilon))) + 1);
  double log_excess = log_choose(order, 2) + 2 * numeric::log_expm1(local_epsilon) - log_copies - local_epsilon;
  const double log_base =
      2 * numeric::log_expm1(2 * local_epsilon) - std::numbers::ln2 - 2 * local_epsilon - log_copies;
  const auto last = to_integer<int>(order, "order");
  for (int power = 3; power <= last; ++power) {
    const double i = power;
    log_excess = log_add(log_excess, log_choose(order, i) + std::log(i) + std::lgamma(i / 2) + i / 2 * log_base);
  }
  log_excess = log_add(log_excess, local_epsilon * order - (reports - 1) / (8 * std::exp(local_epsilon)));
  return divergence(log_excess, order);
}

}  // namespace dpbudget::shuffle
