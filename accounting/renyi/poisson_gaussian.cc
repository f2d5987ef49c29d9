#include "dpbudget/accounting/renyi/poisson_gaussian.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/mixture_moment.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

Divergence gaussian_divergence(const MixtureMoment& moment, double rate, double noise, double order) {
  if (components_apart({rate, noise}, order)) return minkowski({rate, noise}, order);
  const auto excess = moment(order);
  return excess ? divergence(*excess, order) : minkowski({rate, noise}, order);
}

class PoissonGaussianCurve final : public Curve {
 public:
  PoissonGaussianCurve(double sampling_rate, double noise_multiplier)
      : rate_(sampling_rate), noise_(noise_multiplier), moment_({sampling_rate, noise_multiplier}) {}

  double operator()(double order) const override { return gaussian_divergence(moment_, rate_, noise_, order).upper(); }

 private:
  double rate_;
  double noise_;
  MixtureMoment moment_;
};

void require_sampled_gaussian(double sampling_rate, double noise_multiplier) {
  ranges::rate(sampling_rate);
  ranges::noise_multiplier(noise_multiplier);
}

}  // namespace

double poisson_gaussian(double sampling_rate, double noise_multiplier, double order) {
  require_sampled_gaussian(sampling_rate, noise_multiplier);
  ranges::order(order);
  if (sampling_rate == 0) return 0;
  if (sampling_rate == 1) return order / 2 / noise_multiplier / noise_multiplier;
  return gaussian_divergence(MixtureMoment({sampling_rate, noise_multiplier}), sampling_rate, noise_multiplier, order)
      .value;
}

double poisson_gaussian_reverse(double sampling_rate, double noise_multiplier, double order) {
  require_sampled_gaussian(sampling_rate, noise_multiplier);
  ranges::order(order);
  if (sampling_rate == 0) return 0;
  if (sampling_rate == 1) return order / 2 / noise_multiplier / noise_multiplier;
  const auto excess = MixtureMoment({sampling_rate, noise_multiplier})(1 - order);
  if (!excess)
    throw InvalidArgument("order is too large, or noise_multiplier too small, for the quadrature of this direction");
  return divergence(*excess, order).value;
}

CurvePtr poisson_gaussian_curve(double sampling_rate, double noise_multiplier) {
  require_sampled_gaussian(sampling_rate, noise_multiplier);
  if (sampling_rate == 0) return gaussian_curve(0);
  if (sampling_rate == 1) return gaussian_curve(raised(1 / noise_multiplier / noise_multiplier, 2 * unit));
  return std::make_shared<PoissonGaussianCurve>(sampling_rate, noise_multiplier);
}

}  // namespace dpbudget::renyi
