#include "dpbudget/accounting/risk/risk.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::risk {
namespace {

using numeric::Bracket;
using numeric::unit;

// Of the few operations between a delta and a rate.
constexpr double rounding = 16 * unit;
constexpr int bits_of_search = 24;
// Beyond it, lines of the smaller slopes are those of perfect tests.
constexpr double most_epsilon = 40;
// Where the search begins: a line that is not lower there is lowest at the slope 1, as heights are convex in the slope.
constexpr double first_step = 0x1p-10;
// Distances between the slopes, as logarithms, of the lines that confine a test.
constexpr double farthest_line = 1;
constexpr double nearer_line = 4;
constexpr int lines_on_a_side = 12;

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

const DeltaBound& Attacker::delta(double epsilon) {
  if (const auto known = deltas_.find(epsilon); known != deltas_.end()) return known->second;
  return deltas_.emplace(epsilon, accountant_.delta(1, epsilon).value()).first->second;
}

const Bound& Attacker::reason() { return delta(0).bound; }

// The logarithm of the slope of the lowest line at a rate, as far as a search finds it.
// @param side  1 for slopes above 1, -1 for those below
double Attacker::lowest_line(double rate, double side, double most) {
  const auto height = [&](double epsilon) { return line(side * epsilon, delta(epsilon).bound.upper).at(rate); };
  if (!(height(first_step) < height(0))) return 0;
  return side * boost::math::tools::brent_find_minima(height, 0.0, most, bits_of_search).first;
}

Bracket Attacker::advantage() { return {reason().lower, std::min(1.0, reason().upper)}; }

Bracket Attacker::true_positive_rate(double false_positive_rate) {
  const double rate = false_positive_rate;
  require(0 < rate && rate < 1, "false_positive_rate", rate, "in (0, 1)");
  const auto above = [&](double log_slope) { return line(log_slope, delta(std::abs(log_slope)).bound.upper); };
  const double steep = lowest_line(rate, 1, -std::log(rate));
  const double flat = lowest_line(rate, -1, most_epsilon);
  const double lowest = above(steep).at(rate) <= above(flat).at(rate) ? steep : flat;
  std::vector<Line> lines;
  double distance = farthest_line;
  for (int i = 0; i < lines_on_a_side; ++i, distance /= nearer_line)
    for (const double log_slope : {lowest - distance, lowest + distance}) lines.push_back(above(log_slope));

  Bracket found{rate, 1};
  for (const auto& [epsilon, bounds] : deltas_)
    for (const double log_slope : {epsilon, -epsilon}) {
      found.upper = std::min(found.upper, line(log_slope, bounds.bound.upper).above(rate));
      const Line attained = line(log_slope, bounds.bound.lower);
      const Interval interval = confined(attained, lines);
      if (interval.low <= interval.high) found.lower = std::max(found.lower, reached(attained, interval, rate));
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
