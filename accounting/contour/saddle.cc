#include "dpbudget/accounting/contour/saddle.h"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>

#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

// log of the largest (1 - e^-x) e^{-c x}; 0 at c = 0.
double log_chernoff_constant(double c) { return c == 0 ? 0 : -c * std::log1p(1 / c) - std::log1p(c); }

// Where a monotone function of c > 0 is 0, roughly: any c serves.
// @param looks_below  whether a c that has no moment is taken for too large. It is for many releases, where what
//                     answers otherwise takes long; else contours that reach so far are no better than meshes.
double search(double guess, bool is_rising, bool looks_below, const std::function<double(double)>& f) {
  std::uintmax_t evaluations = 200;
  const auto is_near = [](double a, double b) { return std::abs(b - a) < 0.01 * b; };
  const auto finite = [&](double c) {
    const double value = f(c);
    if (std::isfinite(value)) return value;
    if (!looks_below) throw DoesNotConverge();
    return (is_rising ? 1 : -1) * std::numeric_limits<double>::max();
  };
  try {
    return boost::math::tools::bracket_and_solve_root(finite, guess, 2.0, is_rising, is_near, evaluations).first;
  } catch (const boost::math::evaluation_error&) {
    throw DoesNotConverge();
  }
}

}  // namespace

Saddle saddle_at(const Transform& loss, double count, double c) {
  const Cumulant k = loss.cumulant(c);
  return {count * k.value, count * k.mean - 1 / c - 1 / (c + 1),
          count * std::max(0.0, k.variance) + 1 / c / c + 1 / (c + 1) / (c + 1)};
}

Target saddle_for_epsilon(const Transform& loss, double count, double epsilon, double guess) {
  const Transform& rough = loss.rough();
  const double c = search(guess, true, &rough != &loss,
                          [&](double point) { return saddle_at(rough, count, point).epsilon - epsilon; });
  const Saddle at = saddle_at(rough, count, c);
  return {
      c, epsilon,
      at.log_moment - c * epsilon - std::log(c) - std::log1p(c) - std::log(2 * std::numbers::pi * at.curvature) / 2};
}

Target saddle_for_delta(const Transform& loss, double count, double log_delta) {
  // delta is about M e^{-c epsilon} / (c (c+1) sqrt(2 pi V)), V the curvature, and c sqrt(V) near what it is for a
  // normal distribution: in this form the right-hand side decreases.
  const double normal = std::log(4 * std::numbers::pi * std::max(0.5, -log_delta)) / 2;
  const Transform& rough = loss.rough();
  const double c = search(1, false, &rough != &loss, [&](double point) {
    const Saddle at = saddle_at(rough, count, point);
    return at.log_moment - point * at.epsilon - std::log1p(point) - normal - log_delta;
  });
  // Where rare events take over, `epsilon` of the saddle is very steep in c; in this form it is flat.
  return {c, (count * rough.cumulant(c).value - std::log1p(c) - normal - log_delta) / c, log_delta};
}

double chernoff(const Transform& loss, double count, double c, double epsilon) {
  const Cumulant k = loss.cumulant(c);
  const double rounding = 8 * unit * (count * std::abs(k.value) + c * std::abs(epsilon) + 1);
  return count * (k.value + k.error) + log_chernoff_constant(c) - c * epsilon + rounding;
}

}  // namespace dpbudget::contour
