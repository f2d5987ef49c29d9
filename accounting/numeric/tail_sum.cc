#include "dpbudget/accounting/numeric/tail_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/weighted_tail.h"

namespace dpbudget::numeric {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Beyond this many scales a tail is below e^-11 of the whole.
constexpr double scales_until_little = 11.25;

// By how much a term of a log-concave sequence bounds the sum of all further ones: the step that comes after it.
double geometric_rest(double term, double next) {
  return next < term ? next / (1 - next / term) : term == 0 ? 0 : infinity;
}

}  // namespace

double log_tail_sum(const Binomial& binomial, double first, const TailWeight& weight) {
  const double slope = std::isfinite(weight.start) ? weight.slope : 0;
  return log_weighted_tail(binomial, first, {[&](double offset) { return weight(offset); }, slope});
}

Bracket log_tail_sum_bracket(const Binomial& binomial, double first, const TailWeight& weight) {
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
  const double terms = (anchor - start) + scales_until_little * scale_at(binomial, anchor);
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

}  // namespace dpbudget::numeric
