#include "dpbudget/accounting/loss_distribution/compose.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/loss_distribution/tilted.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr double most_points_of_window = 0x1p22;

// Windows are tried from this many tilted standard deviations on, each wider by that factor.
constexpr double narrowest = 4;
constexpr double wider = 1.3;

Window window_from(const std::vector<Part>& parts, double low, std::size_t length) {
  return window_at(std::floor((low - offset_of(parts)) / parts.front().distribution->grid.mesh), length);
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

  const MomentTable moments = moments_of(parts, orders_around(focus.order, deviation));
  for (double width = narrowest * deviation;; width *= wider) {
    const std::size_t length = numeric::Fourier::length_for(points_of(width, mesh, most_points_of_window));
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
  if (sum.side == Side::upper) sum.at_infinity += setting.moments.mass_above(top + sum.grid.mesh);
  return sum;
}

}  // namespace dpbudget::loss_distribution
