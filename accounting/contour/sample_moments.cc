#include "dpbudget/accounting/contour/sample_moments.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numbers>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/second_order.h"
#include "dpbudget/accounting/contour/transform.h"
#include "dpbudget/accounting/contour/weighted_sums.h"
#include "dpbudget/accounting/numeric/excess.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;
using Gauss = boost::math::quadrature::gauss<double, 30>;

constexpr double points_of_panel = 30;
// The half axes of an ellipse around a panel are those of [-1, 1] times its half width.
constexpr double ellipse = 4;
constexpr double real_axis = (ellipse + 1 / ellipse) / 2;
constexpr double imaginary_axis = (ellipse - 1 / ellipse) / 2;
// Panels are as wide as these deviations, unless powers or waves vary too much on them.
constexpr double deviations_of_panel = 8;
constexpr double most_wave = 24;
constexpr double narrower = 1.5;  // from one try to the next
constexpr double widest_angle = 0.8 * std::numbers::pi;
constexpr double cells_of_panel = 16;
constexpr double most_panels = 1024;
// Deviations after which the normal density is e^-46 of its largest.
constexpr double side = 9.6;
constexpr double most_exponent = 600;
// Turned by multiplication so often, waves err by less than they may.
constexpr double most_turns = 32;

double log_normal_density(double w, double variance) {
  const double centred = w + variance / 2;
  return -centred * centred / (2 * variance) - std::log(2 * std::numbers::pi * variance) / 2;
}

}  // namespace

SampleMoments::SampleMoments(const SamplePair& pair, std::vector<double> variances, double most_order, double reach)
    : pair_(pair),
      variances_(std::move(variances)),
      least_(*std::ranges::min_element(variances_)),
      most_(*std::ranges::max_element(variances_)) {
  const double left = left_end(most_order);
  const double right = right_end(most_order);
  if (!(right < most_exponent)) throw DoesNotConverge();
  // Half a panel times the imaginary axis is below pi, and little enough for powers and waves.
  const double height = has_inverse() ? std::min(widest_angle, 4 / std::sqrt(most_order + 2)) : widest_angle;
  widest_panel_ = std::min(deviations_of_panel * std::sqrt(least_), 2 * height / imaginary_axis);
  // Where a double does not hold the variance there is nothing between the ends.
  if (!(left < right) ||
      !cut(left, right, reach, [this](double from, double to) { panels_.push_back(panel(from, to)); }))
    throw DoesNotConverge();
  right_ = right;
  fill();
}

template <class Use>
bool SampleMoments::cut(double left, double right, double reach, const Use& use) const {
  double width = widest_panel_;
  double panels = 0;
  for (double from = left; from < right;) {
    if (++panels > most_panels) return false;
    // What is left is shared evenly; waves turn faster to the right.
    width = std::min(widest_panel_, width * narrower);
    const auto end = [&] {
      const double number = std::ceil((right - from) / width);
      return number > 1 ? from + (right - from) / number : right;
    };
    while (angle_between(from, end()) * reach > most_wave) {
      width /= narrower;
      if (!((right - from) / width <= most_panels)) return false;
    }
    const double to = end();
    use(from, to);
    from = to;
  }
  return true;
}

double SampleMoments::nodes(double reach) const {
  double panels = 0;
  const bool are_few = cut(panels_.front().from, panels_.back().to, reach, [&](double, double) { ++panels; });
  return are_few ? panels * points_of_panel : infinity;
}

double SampleMoments::left_end(double most_order) const {
  switch (pair_.kind) {
    case SampleKind::without_replacement:
      return 0;
    case SampleKind::remove:
      return -most_ / 2 - side * std::sqrt(most_);
    case SampleKind::add:
      break;
  }
  const double by_slope = side + (2 + most_order) * std::sqrt(most_);
  const double by_rate = std::sqrt(side * side - 2 * (2 + most_order) * std::log1p(-pair_.rate));
  return -most_ / 2 - std::min(by_slope, by_rate) * std::sqrt(most_);
}

double SampleMoments::right_end(double most_order) const {
  const double steepest = has_power() ? std::max(most_order + 1, 2.0) + 2 : 4;
  return steepest * most_ + side * std::sqrt(most_);
}

SampleMoments::Node SampleMoments::node(double w, double half) const {
  const double relative = std::expm1(w);
  const double x = pair_.rate * relative;
  const double place = std::abs(w) + half;
  const double slack = relative == 0 ? 0 : 4 + place * std::abs((1 + relative) / relative);
  return {w, x, std::log1p(x), boost::math::log1pmx(x), place, slack};
}

void SampleMoments::fill() {
  const auto& abscissas = Gauss::abscissa();
  const auto& gauss_weights = Gauss::weights();
  for (const auto& [from, to, angle, cells] : panels_) {
    const double middle = (from + to) / 2;
    const double half = (to - from) / 2;
    for (std::size_t i = 0; i < abscissas.size(); ++i)
      for (const double sign : {-1, 1}) {
        nodes_.push_back(node(middle + sign * half * abscissas[i], half));
        losses_.push_back(nodes_.back().loss);
        rule_.push_back(half * gauss_weights[i]);
      }
  }
  weights_.reserve(nodes_.size() * size());
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    for (const double v : variances_) weights_.push_back(rule_[k] * std::exp(log_normal_density(nodes_[k].w, v)));
}

SampleMoments::Term SampleMoments::prepare(const Node& node, AtOrder& at, bool is_far) const {
  const auto& [w, x, loss, rest, place, slack] = node;
  const double log_scale = is_far && has_power() ? -std::max(0.0, (at.c + 1) * loss) : 0;
  const double scale = std::exp(log_scale);
  Term term{0, 0, 0, scale};
  double even = 0;
  double odd = 0;
  // E1 = e^{power loss} - 1 keeps the digits of what the moment's slope is made of.
  const auto slope = [&](double order, double power) {
    const double rise = log_scale == 0 ? std::expm1(order * loss) : power - scale;
    return loss * rise + scale * rest;
  };
  if (has_power()) {
    const double power = std::exp((at.c + 1) * loss + log_scale);
    even += power;
    odd += power;
    term.value += log_scale == 0 ? numeric::excess(at.c + 1, x, loss)
                                 : std::exp(numeric::log_excess(at.c + 1, x, loss) + log_scale);
    term.first += slope(at.c + 1, power);
    term.second += power * loss * loss;
    term.size = std::max(term.size, power);
  }
  if (has_inverse()) {
    const double power = std::exp(-at.c * loss + log_scale);
    even += power;
    odd -= power;
    term.value += scale * numeric::excess(-at.c, x, loss);
    term.first -= slope(-at.c, power);
    term.second += power * loss * loss;
    term.size = std::max(term.size, power);
  }
  at.even.push_back(even);
  at.odd.push_back(odd);
  term.size = (has_power() && has_inverse() ? 2 : 1) * (term.size * loss * loss + scale * std::abs(rest));
  return term;
}

SampleMoments::AtOrder SampleMoments::at(double c) const {
  AtOrder at{.c = c, .even = {}, .odd = {}, .weights = {}, .discretisation = {}, .moments = {}};
  ExcessMoments& moments = at.moments;
  for (auto* numbers : {&moments.value, &moments.first, &moments.second}) numbers->resize(size());
  std::vector<double> rounding(size());
  std::vector<double> of_phase(size());
  const double additions = static_cast<double>(nodes_.size()) / 8;
  const bool is_far = has_power() && (c + 1) * right_ > most_exponent;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    const Term term = prepare(node, at, is_far);
    if (is_far)
      for (const double v : variances_)
        at.weights.push_back(rule_[k] * std::exp(log_normal_density(node.w, v) + std::max(0.0, (c + 1) * node.loss)));
    const double steepness = std::exp(std::max(0.0, -node.loss));
    const double of_x = 8 * node.slack * steepness * steepness;
    const double of_powers = 8 * (c + 1) * node.place * steepness;
    const double distance = std::abs(node.w);
    const double* weight = weights(at, k);
    for (std::size_t j = 0; j < size(); ++j) {
      const double v = variances_[j];
      moments.value[j] += weight[j] * term.value;
      moments.first[j] += weight[j] * term.first;
      moments.second[j] += weight[j] * term.second;
      const double size_of_terms = weight[j] * term.size;
      rounding[j] +=
          size_of_terms * (256 + additions + of_x + of_powers + 8 * distance * node.place / v + 8 * node.place + 4 * v);
      of_phase[j] += size_of_terms * 8 * node.place;
    }
  }
  at.rounding = unit * *std::ranges::max_element(rounding);
  at.rounding_of_phase = unit * *std::ranges::max_element(of_phase);
  at.truncation = truncated(c);
  for (const Panel& panel : panels_) at.discretisation.push_back(discretised(panel, c));
  moments.error.assign(1, error(at, 0));
  return at;
}

SampleMoments::Walk::Walk() : turns(most_turns) {}

double SampleMoments::evaluate(const AtOrder& at, double s, Walk& walk, std::vector<double>& real,
                               std::vector<double>& imaginary) const {
  if (const Waves* by = walk.turns.to(s, losses_))
    turn(walk.waves, *by);
  else
    aim(walk.waves, s, losses_);
  second_orders(losses_, s, walk.waves, at.even, at.odd, walk.bends);
  for (std::size_t j = 0; j < size(); ++j) {
    real[j] = at.moments.value[j];
    imaginary[j] = s * at.moments.first[j];
  }
  add_weighted({weights(at, 0), nodes_.size() * size()}, walk.bends, real, imaginary);
  return error(at, s);
}

// accounting/contour/proofs.md, 8.2 to 8.4
double SampleMoments::error(const AtOrder& at, double s) const {
  const double c = at.c;
  const double p = std::hypot(c + 1, s);
  const double kernel = std::hypot(c, s) * p;
  double sum = at.truncation;
  for (std::size_t i = 0; i < panels_.size(); ++i) sum += at.discretisation[i] * std::exp(s * panels_[i].angle);
  return (1 + 1e-6) * (kernel * sum + (p * p + p) * (at.rounding + s * at.rounding_of_phase));
}

double SampleMoments::angle_between(double from, double to) const {
  const double half = (to - from) / 2;
  const double height = half * imaginary_axis;
  const double share = pair_.rate / (pair_.rate + (1 - pair_.rate) * std::exp(-to - half * (real_axis - 1)));
  const double sine = 2 * std::sin(height / 2) * share;
  const double angle = height <= std::numbers::pi / 2 && sine < 1 ? std::min(height, std::asin(sine)) : height;
  return angle * (1 + 1e-9);
}

SampleMoments::Panel SampleMoments::panel(double from, double to) const {
  const double half = (to - from) / 2;
  const double height = half * imaginary_axis;
  const double beyond = half * (real_axis - 1);
  const double rate = pair_.rate;
  Panel panel{from, to, angle_between(from, to), {}};
  for (double k = 0; k < cells_of_panel; ++k) {
    const double width = (to - from + 2 * beyond) / cells_of_panel;
    const double left = from - beyond + k * width;
    const double right = left + width;
    // log of the density of any of the variances: -w^2 / (2 v) - w / 2 - v / 8 less log(2 pi v) / 2.
    const double nearest = std::max({0.0, left, -right});
    const double log_density = (height * height / least_ - nearest * nearest / most_) / 2 - left / 2 - least_ / 8 -
                               std::log(2 * std::numbers::pi * least_) / 2;
    panel.cells.push_back({log_density + 2 * std::log(rate) + 2 * std::log1p(std::exp(right)) - std::numbers::ln2,
                           std::max(0.0, std::log1p(rate * std::expm1(right))),
                           std::log(std::cos(height / 2)) + std::min(0.0, std::log1p(rate * std::expm1(left)))});
  }
  return panel;
}

// accounting/contour/proofs.md, 8.2
double SampleMoments::discretised(const Panel& panel, double c) const {
  double largest = -infinity;
  for (const auto& [log_rest, log_most, log_least] : panel.cells) {
    double log_power = -infinity;  // of the larger of the two
    if (has_power()) log_power = (c - 1) * (c >= 1 ? log_most : log_least);
    if (has_inverse()) log_power = std::max(log_power, -(c + 2) * log_least);
    largest = std::max(largest, log_rest + log_power);
  }
  constexpr double of_rule = 64.0 / 15 / (1 - 1 / ellipse / ellipse);
  const double log_of_rule = -2 * (points_of_panel - 1) * std::log(ellipse);
  return (1 + 1e-9) * (panel.to - panel.from) * of_rule * std::exp(largest + log_of_rule);
}

// accounting/contour/proofs.md, 8.3
double SampleMoments::truncated(double c) const {
  const double right = panels_.back().to;
  const double left = panels_.front().from;
  double largest = 0;
  for (const double v : variances_) {
    const double x = pair_.rate * std::expm1(right);
    const double loss = std::log1p(x);
    const double log_density = log_normal_density(right, v);
    double value = 0;
    if (has_power()) value += std::exp(log_density + numeric::log_excess(c + 1, x, loss));
    if (has_inverse()) value += std::exp(log_density + numeric::log_excess(-c, x, loss));
    const double fall = (right + v / 2) / v - 2 / -std::expm1(-right) - (has_power() ? std::max(0.0, c - 1) : 0);
    if (!(fall > 0)) throw DoesNotConverge();
    double sum = value / (c * (c + 1)) / fall;
    if (pair_.kind != SampleKind::without_replacement) {
      // Powers are at most those at -infinity, or at the left end and steeper by as much.
      const double power = has_power() ? c - 1 : -c - 2;
      const double steepest = std::max(1.0, std::pow(1 - pair_.rate, power));
      const double log_ratio = std::log1p(pair_.rate * std::expm1(left));
      const double slope = (-left - v / 2) / v;
      const double rise = has_power() ? infinity : (c + 2) * pair_.rate * std::exp(left - log_ratio);
      double tail = steepest / slope;
      if (rise < slope) tail = std::min(tail, std::exp(power * log_ratio) / (slope - rise));
      sum += pair_.rate * pair_.rate / 2 * tail * std::exp(log_normal_density(left, v));
    }
    largest = std::max(largest, sum);
  }
  return (1 + 1e-6) * largest;
}

}  // namespace dpbudget::contour
