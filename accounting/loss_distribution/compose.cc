#include "dpbudget/accounting/loss_distribution/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <utility>

#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/loss_distribution/tilted.h"
#include "dpbudget/accounting/numeric/extended.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

using numeric::Extended;
using numeric::unit;
namespace {

constexpr double most_points_of_window = 0x1p22;
// A whole composition is transformed under eight tilts.
constexpr double most_points_of_whole = 0x1p20;

// Windows are tried from this many tilted standard deviations on, each wider by that factor.
constexpr double narrowest = 4;
constexpr double wider = 1.3;

std::size_t points(double width, double mesh, double most) {
  const double needed = std::ceil(width / mesh) + 1;
  if (!(1 <= needed && needed <= most))
    throw Unsupported(
        fmt::format("a mesh of {:.3g} needs a transform of {:.3g} points; the most is {}", mesh, needed, most));
  return to_integer<std::size_t>(needed, "points");
}

double offset_of(const std::vector<Part>& parts) {
  double offset = 0;
  for (const Part& part : parts) offset += static_cast<double>(part.count) * part.distribution->grid.offset;
  return offset;
}

Window window_from(const std::vector<Part>& parts, double low, std::size_t length) {
  const double first = std::floor((low - offset_of(parts)) / parts.front().distribution->grid.mesh);
  if (!(std::abs(first) < 0x1p52)) throw Unsupported("losses are too large for the mesh of their grid");
  return {to_integer<std::int64_t>(first, "first point"), length};
}

double exp_up(double exponent) { return std::exp(exponent + unit * (1 + std::abs(exponent))) * (1 + 4 * unit); }

MomentTable table_of(const std::vector<Part>& parts, std::vector<double> orders) {
  MomentTable table(std::move(orders));
  for (const Part& part : parts) table.add(part);
  return table;
}

// Whether two compositions are of the same losses.
bool is_same(const Part& one, const Part& other) {
  const LossDistribution& a = *one.distribution;
  const LossDistribution& b = *other.distribution;
  return one.count == other.count && a.side == b.side && a.grid.mesh == b.grid.mesh && a.grid.offset == b.grid.offset &&
         a.first == b.first && a.at_infinity == b.at_infinity && a.slack == b.slack && a.mass == b.mass;
}

// What a thread composed last. Losses that are the same in both directions, or for data sets as for what dominates
// them, are asked for one after the other.
class LastWhole {
 public:
  const LossDistribution* find(const std::vector<Part>& parts, double tail) const {
    return tail == tail_ && std::ranges::equal(parts, parts_, is_same) ? &sum_ : nullptr;
  }
  const LossDistribution& keep(const std::vector<Part>& parts, double tail, LossDistribution sum) {
    distributions_.clear();
    parts_.clear();
    for (const Part& part : parts) {
      distributions_.push_back(*part.distribution);
      parts_.push_back({&distributions_.back(), part.count});
    }
    tail_ = tail;
    sum_ = std::move(sum);
    return sum_;
  }

 private:
  std::deque<LossDistribution> distributions_;
  std::vector<Part> parts_;
  double tail_ = 0;
  LossDistribution sum_{};
};

TiltedSum product_of(const std::vector<Part>& parts, double order, const Window& window) {
  TiltedProduct product(order, window);
  for (const Part& part : parts) {
    heed_interruption();
    product.multiply(part);
  }
  return product.sum();
}

LossDistribution composed_whole(const std::vector<Part>& parts, double tail) {
  const double mesh = parts.front().distribution->grid.mesh;
  const double log_tail_mass = std::log(tail);
  // P(sum > high) <= tail, and Q(sum < low) <= tail: Q's moments are P's at an order less by one.
  const auto moment_at = [&](double order) { return log_moment(parts, order).value; };
  const Saddle above = saddle_at_delta(moment_at, log_tail_mass, first_order(parts));
  const Saddle below =
      saddle_at_delta([&](double order) { return moment_at(-1 - order); }, log_tail_mass, first_order(parts));
  const std::size_t length =
      numeric::Fourier::length_for(points(std::max(0.0, above.epsilon + below.epsilon), mesh, most_points_of_whole));
  const Window window = window_from(parts, -below.epsilon, length);
  LossDistribution sum = empty_sum(parts, window);
  const double low = sum.loss(0);
  const double high = sum.loss(window.length - 1);
  const double around = static_cast<double>(window.length) * mesh;
  const double deviation = std::max(tilted_deviation(parts, 0), mesh);
  std::vector<double> orders = orders_around(above.order, deviation);
  std::ranges::copy(orders_around(-1 - below.order, deviation), std::back_inserter(orders));
  const MomentTable moments = table_of(parts, std::move(orders));
  // Under one tilt only masses near its mean are relatively accurate: each point takes the best of several.
  bool is_first = true;
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    for (const double order : {share * above.order, -1 - share * below.order}) {
      const Wrapped wrap = wrapped(moments, order, around, low, high);
      put_masses(sum, product_of(parts, order, window), wrap, is_first);
      is_first = false;
    }
  }
  if (sum.side == Side::upper) {
    sum.at_infinity += exp_up(moments.log_mass_above(high + mesh));
    sum.mass.front() += exp_up(moments.log_mass_below(low - mesh));
    Extended total = Extended(sum.at_infinity);
    for (const double mass : sum.mass) total += mass;
    if (total < 1) sum.mass.front() += static_cast<double>(1 - total) * (1 + 4 * unit);
  }
  return sum;
}

}  // namespace

double infinite_mass(const std::vector<Part>& parts) { return empty_sum(parts, {0, 1}).at_infinity; }

Focus focus_at_epsilon(const std::vector<Part>& parts, double epsilon, double accuracy) {
  const double order = saddle_at_epsilon(parts, epsilon);
  const double log_delta = log_moment(parts, order).value - order * epsilon - std::log(order) - std::log1p(order) -
                           std::log(3 * tilted_deviation(parts, order));
  return {order, epsilon, log_delta, accuracy};
}

Focus focus_at_delta(const std::vector<Part>& parts, double log_delta, double accuracy) {
  const Saddle saddle =
      saddle_at_delta([&](double order) { return log_moment(parts, order).value; }, log_delta, first_order(parts));
  return {saddle.order, saddle.epsilon, log_delta, accuracy};
}

Setting setting_near(const std::vector<Part>& parts, const Focus& focus) {
  const double mesh = parts.front().distribution->grid.mesh;
  const double deviation = std::max(tilted_deviation(parts, focus.order), mesh);
  const auto log_chernoff = [&](double order) { return log_moment(parts, order).value - order * focus.epsilon; };
  const double log_allowed = focus.log_delta + std::log(focus.accuracy);
  double count = 0;
  for (const Part& part : parts) count += static_cast<double>(part.count);

  // The saddle point's tilt rounds best; a weaker one wraps less, where rare large losses make its tail heavy.
  std::vector<double> orders;
  for (const double share : {1.0, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1}) {
    const double order = share * focus.order;
    const double log_rounding =
        log_chernoff(order) + std::log(count * 0x1p-44) - std::min(0.0, std::log(order * deviation));
    if (orders.empty() || log_rounding <= log_allowed) orders.push_back(order);
  }

  const MomentTable moments = table_of(parts, orders_around(focus.order, deviation));
  for (double width = narrowest * deviation;; width *= wider) {
    const std::size_t length = numeric::Fourier::length_for(points(width, mesh, most_points_of_window));
    const double around = static_cast<double>(length) * mesh;
    const Window window = window_from(parts, focus.epsilon - around / 2, length);
    if (width * wider / mesh >= most_points_of_window) return {focus.order, window, log_allowed, moments};
    const double top = empty_sum(parts, {window.first, 1}).loss(window.length - 1);
    if (moments.log_mass_above(top) > log_allowed) continue;
    for (const double order : orders) {
      const Wrapped wrap = wrapped(moments, order, around, focus.epsilon, top);
      if (wrap.below.log_sum(focus.epsilon, top, mesh) > log_allowed) break;  // weaker tilts wrap more from below
      if (wrap.above.log_sum(focus.epsilon, top, mesh) <= log_allowed) return {order, window, log_allowed, moments};
    }
  }
}

LossDistribution compose_near(const std::vector<Part>& parts, const Focus& focus, const Setting& setting) {
  LossDistribution sum = empty_sum(parts, setting.window);
  const double top = sum.loss(setting.window.length - 1);
  const Wrapped wrap = wrapped(setting.moments, setting.order,
                               static_cast<double>(setting.window.length) * sum.grid.mesh, focus.epsilon, top);
  put_masses(sum, product_of(parts, setting.order, setting.window), wrap, true);
  if (sum.side == Side::upper) sum.at_infinity += exp_up(setting.moments.log_mass_above(top + sum.grid.mesh));
  return sum;
}

LossDistribution compose_whole(const std::vector<Part>& parts, double tail) {
  if (parts.size() == 1 && parts.front().count == 1) return *parts.front().distribution;
  thread_local LastWhole last;
  if (const LossDistribution* known = last.find(parts, tail)) return *known;
  return last.keep(parts, tail, composed_whole(parts, tail));
}

}  // namespace dpbudget::loss_distribution
