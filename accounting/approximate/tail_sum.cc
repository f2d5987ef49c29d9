#include "dpbudget/accounting/approximate/tail_sum.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/renyi/rounding.h"

namespace dpbudget::approximate {
namespace {

using renyi::unit;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A sum whose terms change by less than a factor e over this many is smooth: the Euler-Maclaurin formula, cut after
// its first correction, is then off by 1e-13.
constexpr double smooth = 600;

// Beyond this many scales a tail is below e^-45 of the whole.
constexpr double scales_until_nothing = 45;

// Beyond this many standard deviations the normal tail is.
constexpr double deviations_until_nothing = 10;

// By how much a term of a log-concave sequence bounds the sum of all further ones: the step that comes after it.
double geometric_rest(double term, double next) {
  return next < term ? next / (1 - next / term) : term == 0 ? 0 : infinity;
}

// Over how many terms from `first` on the masses change by a factor e.
double scale_at(const Binomial& binomial, double first) {
  const double deviation = binomial.deviation();
  if (first <= binomial.mode()) return deviation;
  if (first >= binomial.count()) return 0;
  const double decay = -std::log((binomial.count() - first) / (first + 1) * binomial.odds());
  return decay > 0 ? std::min(deviation, 1 / decay) : deviation;
}

// The terms from `first` to `last`, outward from the most likely one. Masses follow from one another; every so often
// one is computed afresh, so that no error of the odds builds up.
double log_added(const Binomial& binomial, double first, double last, const TailWeight& weight) {
  constexpr int fresh_after = 1024;
  const double anchor = std::clamp(binomial.mode(), first, last);
  const double log_anchor = binomial.log_mass(anchor);
  double sum = 0;
  const auto add = [&](double from, double step, double end, auto ratio) {
    double mass = std::exp(binomial.log_mass(from) - log_anchor);
    double before = 0;
    int since = 0;
    double j = from;
    while (true) {
      const double term = mass * weight(j - first);
      sum += term;
      if (j == end || (before > 0 && geometric_rest(before, term) < 0x1p-58 * sum)) break;
      before = term;
      if (++since == fresh_after) {
        mass = std::exp(binomial.log_mass(j + step) - log_anchor);
        since = 0;
      } else {
        mass *= ratio(j);
      }
      if (mass == 0) break;
      j += step;
    }
  };
  const double count = binomial.count();
  const double odds = binomial.odds();
  add(anchor, 1, last, [&](double j) { return (count - j) / (j + 1) * odds; });
  if (anchor > first) add(anchor - 1, -1, first, [&](double j) { return j / (count - j + 1) / odds; });
  return log_anchor + std::log(sum);
}

// The sum over j >= first of f(j) = the integral from first - 1/2 on, plus f'(first - 1/2) / 24.
double log_integrated(const Binomial& binomial, double first, double from, const TailWeight& weight) {
  const double scale = scale_at(binomial, from);
  const double low = std::floor(binomial.mean() - deviations_until_nothing * binomial.deviation());
  const double start = std::max(from, low);
  const double log_largest = binomial.log_mass(std::max(start, binomial.mode()));
  const auto term = [&](double offset) {
    return std::exp(binomial.log_mass(start, offset) - log_largest) * weight(start - first + offset);
  };
  double sum = start == from ? (term(0) - term(-1)) / 24 : 0;
  const double end = binomial.count() - start;
  double left = -0.5;
  while (left < end) {
    const double right = std::min(left + 2 * scale, end);
    const double panel = boost::math::quadrature::gauss<double, 30>::integrate(term, left, right);
    sum += panel;
    if (start + left > binomial.mode() && panel < 0x1p-58 * sum) break;
    left = right;
  }
  return log_largest + std::log(sum);
}

}  // namespace

double log_tail_sum(const Binomial& binomial, double first, const TailWeight& weight) {
  const double count = binomial.count();
  if (first > count) return -infinity;
  const double scale = scale_at(binomial, first);
  if (scale < smooth) return log_added(binomial, first, count, weight);
  // Where the weights rise too fast for an integral, those terms are added first.
  const bool is_steep = std::isfinite(weight.start) && weight.slope * smooth > 1;
  const double apart = is_steep ? std::ceil(scales_until_nothing / weight.slope) : 0;
  const double rest = first + apart;
  if (rest > count) return log_added(binomial, first, count, weight);
  const double integral = log_integrated(binomial, first, rest, weight);
  return is_steep ? log_add(log_added(binomial, first, rest - 1, weight), integral) : integral;
}

LogDeltaBracket log_tail_sum_bracket(const Binomial& binomial, double first, const TailWeight& weight) {
  const double count = binomial.count();
  if (first > count) return {-infinity, -infinity};
  const double deviation = binomial.deviation();
  const double mode = binomial.mode();
  const double start = std::max(first, std::floor(mode - 9 * deviation) - 30);
  const double anchor = std::max(mode, first);
  const double log_anchor = binomial.log_mass(anchor);
  const auto mass = [&](double j) { return std::exp(binomial.log_mass(j) - log_anchor); };
  const auto term = [&](double j) { return mass(j) * weight(j - first); };

  constexpr double most_blocks = 0x1p14;
  const double terms = (anchor - start) + scales_until_nothing / 4 * scale_at(binomial, anchor);
  const double size = std::max(1.0, std::floor(terms / most_blocks));
  // The mode may be off by 1; the mass beside it is larger by a relative 8 / variance at most.
  const double at_mode = 1 + 8 / (deviation * deviation);
  double lower = 0;
  double upper = 0;
  double blocks = 0;
  double left = start;
  while (true) {
    const double right = std::min(left + size - 1, count);
    const double at_left = mass(left);
    const double at_right = right == left ? at_left : mass(right);
    const double numbers = right - left + 1;
    // Masses rise up to the mode and then fall; weights rise.
    double most = std::max(at_left, at_right);
    if (right > left && left <= mode + 1 && mode - 1 <= right) most = mass(mode) * at_mode;
    upper += numbers * most * weight(right - first);
    lower += numbers * std::min(at_left, at_right) * weight(left - first);
    ++blocks;
    if (right >= count) break;
    if (right > mode) {
      const double rest = geometric_rest(at_right * weight(right - first), term(right + 1));
      if (rest < 0x1p-46 * upper) {
        upper += 2 * rest;
        break;
      }
    }
    left = right + 1;
  }
  // Twice, here as above, for the rounding of the ratio.
  if (start > first) upper += 2 * geometric_rest(term(start), term(start - 1));
  // Terms far below the largest weigh less than their errors grow; 64 units are for those that count.
  const double error = binomial.log_mass_error(std::abs(log_anchor) + 64) + (blocks + 64) * unit;
  return {lower > 0 ? log_anchor + std::log(lower) - error : -infinity, log_anchor + std::log(upper) + error};
}

}  // namespace dpbudget::approximate
