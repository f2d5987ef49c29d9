#include "dpbudget/accounting/renyi/gaussian.h"

#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

class GaussianCurve final : public Curve {
 public:
  explicit GaussianCurve(double inverse_variance) : inverse_variance_(inverse_variance) {}
  double operator()(double order) const override { return raised(order / 2 * inverse_variance_, unit); }
  double at_infinity() const override { return inverse_variance_ == 0 ? 0 : std::numeric_limits<double>::infinity(); }
  bool is_nondecreasing() const override { return true; }

 private:
  double inverse_variance_;
};

}  // namespace

double gaussian(double order, double noise_multiplier) {
  require(1 <= order && std::isfinite(order), "order", order, "in [1, inf)");
  ranges::noise_multiplier(noise_multiplier);
  return order / 2 / noise_multiplier / noise_multiplier;
}

CurvePtr gaussian_curve(double inverse_variance) {
  require(0 <= inverse_variance, "inverse_variance", inverse_variance, "at least 0");
  return std::make_shared<GaussianCurve>(inverse_variance);
}

}  // namespace dpbudget::renyi
