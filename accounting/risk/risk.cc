#include "dpbudget/accounting/risk/risk.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::risk {
namespace {

using numeric::Bracket;
using numeric::unit;

// Of the few operations between a delta and a rate.
constexpr double rounding = 16 * unit;
constexpr int bits_of_search = 16;
constexpr int bits_from_below = 12;
constexpr double close = 0.999;  // what needs no such search
// Beyond it, lines of the smaller slopes are those of perfect tests.
constexpr double most_epsilon = 40;
// A delta below such a share of what it is added to moves no line.
constexpr double negligible_share = 0x1p-54;
constexpr double first_horizon = 0x1p-6;
constexpr double horizon_step = 4;
// Where the search begins: a line that is not lower there is lowest at the slope 1, as heights are convex in the slope.
constexpr double first_step = 0x1p-10;
// Distances between the slopes, as logarithms, of the lines that confine a test.
constexpr double farthest_line = 1;
constexpr double nearer_line = 4;
constexpr int lines_on_a_side = 12;
// Of a plot: lines on a side, their distances, and what its lowest rate shows of a delta.
constexpr double fewest_lines = 48;
constexpr double most_lines = 200;
constexpr double widest_step = 1.0 / 16;
constexpr double share_in_a_plot = 1e-3;

// Above, or through, the points (false-positive, true-positive rate) that tests can have.
struct Line {
  double intercept;
  double slope;  // up to rounding
  double error;  // of the intercept

  double at(double rate) const { return intercept + slope * rate; }
  double above(double rate) const { return at(rate) * (1 + rounding) + error; }
};

// The line whose slope has that logarithm, for delta at its absolute value.
// accounting/risk/proofs.md, 1.1
Line line(double log_slope, double delta) {
  const double slope = std::exp(log_slope);
  if (log_slope >= 0) return {delta, slope, 0};
  return {1 - slope * (1 - delta), slope, rounding};
}

// Where a test can lie that attains a line.
struct Interval {
  double low = 0;
  double high = 1;
};

// accounting/risk/proofs.md, 2.1
Interval confined(const Line& attained, const std::vector<Line>& lines) {
  Interval interval;
  for (const Line& other : lines) {
    const double higher = other.intercept - attained.intercept;
    const double error = other.error + attained.error + rounding * (other.intercept + attained.intercept);
    const double steeper = other.slope - attained.slope;
    const double of_slopes = rounding * (other.slope + attained.slope);
    if (steeper > of_slopes)
      interval.low = std::max(interval.low, (-higher - error) / (steeper + of_slopes) * (1 - rounding));
    else if (steeper < -of_slopes)
      interval.high = std::min(interval.high, (higher + error) / (-steeper - of_slopes) * (1 + rounding));
  }
  return interval;
}

// The least that a concave curve reaches at `rate` which goes through a point of the line over that interval.
// accounting/risk/proofs.md, 2.1
double reached(const Line& attained, const Interval& interval, double rate) {
  double least = 1;
  if (interval.low <= rate) {
    const double there = std::min(1.0, attained.at(interval.low));
    least = std::min(least, there + (rate - interval.low) * (1 - there) / (1 - interval.low));
  }
  if (interval.high >= rate) least = std::min(least, rate * (attained.intercept / interval.high + attained.slope));
  return least * (1 - rounding) - attained.error;
}

}  // namespace

Attacker::Attacker(const Plan& plan, AccountantName name, double tolerance)
    : accountant_(make_accountant(name, plan, tolerance).value()) {}

const DeltaBound& Attacker::delta(double epsilon) {
  if (const auto known = deltas_.find(epsilon); known != deltas_.end()) return known->second;
  return deltas_.emplace(epsilon, accountant_->delta(1, epsilon).value()).first->second;
}

const Bound& Attacker::reason(double log_slope) { return delta(std::abs(log_slope)).bound; }

// An epsilon beyond which delta is negligible, so that lines are the higher at a rate the farther they are from slope
// 1; or the most that is wanted.
double Attacker::horizon(double negligible, double most) {
  for (double epsilon = first_horizon; epsilon < most; epsilon *= horizon_step)
    if (delta(epsilon).bound.upper <= negligible) return epsilon;
  return most;
}

// The logarithm of the slope of the lowest line at a rate, as far as a search finds it.
// @param side        1 for slopes above 1, -1 for those below
// @param negligible  delta that moves no line there
double Attacker::lowest_line(double rate, double side, double negligible, double most) {
  const auto height = [&](double epsilon) { return line(side * epsilon, delta(epsilon).bound.upper).at(rate); };
  if (!(height(first_step) < height(0))) return 0;
  return side * boost::math::tools::brent_find_minima(height, 0.0, horizon(negligible, most), bits_of_search).first;
}

Bracket Attacker::advantage() { return {reason().lower, std::min(1.0, reason().upper)}; }

// By all lines that were looked at.
double Attacker::lowest_above(double rate) const {
  double lowest = 1;
  for (const auto& [epsilon, bounds] : deltas_)
    for (const double log_slope : {epsilon, -epsilon})
      lowest = std::min(lowest, line(log_slope, bounds.bound.upper).above(rate));
  return lowest;
}

Attacker::Most Attacker::most_true_positive_rate(double false_positive_rate) {
  const double rate = false_positive_rate;
  require(0 < rate && rate < 1, "false_positive_rate", rate, "in (0, 1)");
  const auto height = [&](double log_slope) {
    return line(log_slope, delta(std::abs(log_slope)).bound.upper).at(rate);
  };
  const double steep = lowest_line(rate, 1, negligible_share * rate, -std::log(rate));
  const double flat = lowest_line(rate, -1, negligible_share, most_epsilon);
  const double lowest = height(steep) <= height(flat) ? steep : flat;
  return {lowest_above(rate), lowest};
}

Bracket Attacker::true_positive_rate(double false_positive_rate) {
  const double rate = false_positive_rate;
  const double lowest = most_true_positive_rate(rate).log_slope;
  std::vector<Line> lines;
  double distance = farthest_line;
  for (int i = 0; i < lines_on_a_side; ++i, distance /= nearer_line)
    for (const double log_slope : {lowest - distance, lowest + distance})
      lines.push_back(line(log_slope, delta(std::abs(log_slope)).bound.upper));

  const auto least = [&](double log_slope) {
    const Line attained = line(log_slope, delta(std::abs(log_slope)).bound.lower);
    const Interval interval = confined(attained, lines);
    return interval.low <= interval.high ? reached(attained, interval, rate) : 0;
  };
  // Where the ends of delta are apart, the line that says most from below is not the lowest from above.
  if (least(lowest) < lowest_above(rate) * close) {
    const double around = std::max(first_step, std::abs(lowest) / 2);
    boost::math::tools::brent_find_minima([&](double log_slope) { return -least(log_slope); }, lowest - around,
                                          lowest + around, bits_from_below);
  }

  Bracket found{rate, lowest_above(rate)};
  for (const auto& entry : deltas_)
    for (const double log_slope : {entry.first, -entry.first}) found.lower = std::max(found.lower, least(log_slope));
  return found;
}

std::vector<Bracket> Attacker::true_positive_rates(std::span<const double> false_positive_rates) {
  require(!false_positive_rates.empty(), "the number of false-positive rates", 0, "at least 1");
  for (const double rate : false_positive_rates)
    require(0 < rate && rate < 1, "false_positive_rate", rate, "in (0, 1)");
  const double lowest = std::ranges::min(false_positive_rates);
  const double negligible = share_in_a_plot * lowest;
  double farthest = horizon(negligible, most_epsilon);
  for (double less = farthest / 2; less > farthest / horizon_step && delta(less).bound.upper <= negligible; less /= 2)
    farthest = less;
  const int lines_on_each =
      to_integer<int>(std::clamp(std::ceil(farthest / widest_step), fewest_lines, most_lines), "lines");
  std::vector<Line> lines;
  std::vector<Line> attained;
  for (int i = -lines_on_each; i <= lines_on_each; ++i) {
    const double log_slope = farthest * i / lines_on_each;
    const Bound& bound = delta(std::abs(log_slope)).bound;
    lines.push_back(line(log_slope, bound.upper));
    attained.push_back(line(log_slope, bound.lower));
  }
  std::vector<Bracket> found;
  for (const double rate : false_positive_rates) {
    Bracket ends{rate, lowest_above(rate)};
    for (const Line& each : attained)
      if (const Interval interval = confined(each, lines); interval.low <= interval.high)
        ends.lower = std::max(ends.lower, reached(each, interval, rate));
    found.push_back(ends);
  }
  return found;
}

// accounting/risk/proofs.md, 3.1
Bracket posterior(double prior, double false_positive_rate, const Bracket& true_positive_rate) {
  require(0 < prior && prior < 1, "prior", prior, "in (0, 1)");
  require(0 < false_positive_rate && false_positive_rate < 1, "false_positive_rate", false_positive_rate, "in (0, 1)");
  const auto of = [&](double rate) {
    const double right = prior * rate;
    return right > 0 ? 1 / (1 + (1 - prior) * false_positive_rate / right) : 0;
  };
  return {of(true_positive_rate.lower) * (1 - rounding), std::min(1.0, of(true_positive_rate.upper) * (1 + rounding))};
}

}  // namespace dpbudget::risk
