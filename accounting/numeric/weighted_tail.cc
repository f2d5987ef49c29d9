#include "dpbudget/accounting/numeric/weighted_tail.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/log_math.h"

namespace dpbudget::numeric {
namespace {

// A sum whose terms change by less than a factor e over this many is smooth: the Euler-Maclaurin formula, cut after
// its first correction, is then off by 1e-13.
constexpr double smooth = 600;

// Beyond this many scales a tail is below e^-45 of the whole.
constexpr double scales_until_nothing = 45;

// Beyond this many standard deviations the normal tail is.
constexpr double deviations_until_nothing = 10;
constexpr double negligible_panel = 0x1p-58;

// The terms from `first` to `last`, outward from the most likely one. Masses follow from one another; every so often
// one is computed afresh, so that no error of the odds builds up.
double log_added(const Binomial& binomial, double first, double last, const Weight& weight) {
  constexpr int fresh_after = 256;
  const double anchor = std::clamp(binomial.mode(), first, last);
  const double log_anchor = binomial.log_mass(anchor);
  double sum = 0;
  const auto add = [&](double from, double step, double end, auto ratio) {
    double mass = std::exp(binomial.log_mass(from) - log_anchor);
    double before = 0;
    int since = 0;
    for (double j = from; mass > 0; j += step) {
      const double term = mass * weight.at(j - first);
      sum += term;
      const bool is_falling = term < before;
      if (j == end || (is_falling && term * before < negligible_panel * sum * (before - term))) break;
      before = term;
      if (++since == fresh_after) {
        mass = std::exp(binomial.log_mass(j + step) - log_anchor);
        since = 0;
      } else {
        mass *= ratio(j);
      }
    }
  };
  const double count = binomial.count();
  const double odds = binomial.odds();
  add(anchor, 1, last, [&](double j) { return (count - j) / (j + 1) * odds; });
  if (anchor > first) add(anchor - 1, -1, first, [&](double j) { return j / (count - j + 1) / odds; });
  return log_anchor + std::log(sum);
}

// The sum over j >= from of f(j) = the integral from from - 1/2 on, plus f'(from - 1/2) / 24.
// accounting/numeric/proofs.md, 4.8
double log_integrated(const Binomial& binomial, double first, double from, const Weight& weight) {
  const double scale = scale_at(binomial, from);
  const double low = std::floor(binomial.mean() - deviations_until_nothing * binomial.deviation());
  const double start = std::max(from, low);
  const double log_largest = binomial.log_mass(std::max(start, binomial.mode()));
  const auto term = [&](double offset) {
    return std::exp(binomial.log_mass(start, offset) - log_largest) * weight.at(start - first + offset);
  };
  double sum = start == from ? (term(0) - term(-1)) / 24 : 0;
  const double end = binomial.count() - start;
  for (double left = -0.5; left < end;) {
    const double right = std::min(left + 2 * scale, end);
    const double panel = boost::math::quadrature::gauss<double, 30>::integrate(term, left, right);
    sum += panel;
    if (start + left > binomial.mode() && panel < negligible_panel * sum) break;
    left = right;
  }
  return log_largest + std::log(sum);
}

}  // namespace

double scale_at(const Binomial& binomial, double first) {
  const double deviation = binomial.deviation();
  if (first <= binomial.mode()) return deviation;
  if (first >= binomial.count()) return 0;
  const double decay = -std::log((binomial.count() - first) / (first + 1) * binomial.odds());
  return decay > 0 ? std::min(deviation, 1 / decay) : deviation;
}

double log_weighted_tail(const Binomial& binomial, double first, const Weight& weight) {
  const double count = binomial.count();
  if (first > count) return -infinity;
  if (scale_at(binomial, first) < smooth) return log_added(binomial, first, count, weight);
  // Where the weights rise too fast for an integral, those terms are added first.
  const bool is_steep = weight.slope * smooth > 1;
  const double apart = is_steep ? std::ceil(scales_until_nothing / weight.slope) : 0;
  const double rest = first + apart;
  if (rest > count || scale_at(binomial, rest) < smooth) return log_added(binomial, first, count, weight);
  const double integral = log_integrated(binomial, first, rest, weight);
  return is_steep ? log_add(log_added(binomial, first, rest - 1, weight), integral) : integral;
}

double log_expected_excess(const Binomial& binomial, double first, double excess) {
  return log_weighted_tail(binomial, first, {[=](double offset) { return excess + offset; }});
}

}  // namespace dpbudget::numeric
