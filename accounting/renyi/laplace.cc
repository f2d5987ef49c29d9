#include "dpbudget/accounting/renyi/laplace.h"

#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

// e^y - 1 - y, at least 0.
double exponential_excess(double y) {
  if (std::abs(y) > 0.5) return std::expm1(y) - y;
  double term = y;
  double sum = 0;
  for (int k = 2; std::abs(term) > 1e-18 * std::abs(sum) && k < 40; ++k) {
    term *= y / k;
    sum += term;
  }
  return sum;
}

class LaplaceCurve final : public Curve {
 public:
  explicit LaplaceCurve(double scale) : scale_(scale) {}
  // The terms are positive and each is right within a few units times its exponent, which log1p takes back.
  double operator()(double order) const override { return raised(laplace(order, scale_), 64 * unit); }
  double at_infinity() const override { return raised(1 / scale_, unit); }

 private:
  double scale_;
};

}  // namespace

double laplace(double order, double scale) {
  require(1 <= order, "order", order, "in [1, inf]");
  ranges::scale(scale);
  const double u = 1 / scale;
  if (std::isinf(order)) return u;
  if (order == 1) return exponential_excess(-u);
  // The moment is a/(2a-1) e^{(a-1)u} + (a-1)/(2a-1) e^{-au}. Taking 1 and the linear terms off each exponential leaves
  // a sum of positive terms, because those parts add up to 1 and 0.
  const double a = order;
  const double largest = (a - 1) * u;
  if (largest < 300) {
    const double moment_minus_1 =
        (a * exponential_excess(largest) + (a - 1) * exponential_excess(-a * u)) / (2 * a - 1);
    return std::log1p(moment_minus_1) / (a - 1);
  }
  // The second term is below e^{-300} of the first.
  return u - std::log(2 - 1 / a) / (a - 1);
}

CurvePtr laplace_curve(double scale) {
  ranges::scale(scale);
  return std::make_shared<LaplaceCurve>(scale);
}

}  // namespace dpbudget::renyi
