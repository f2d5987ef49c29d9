#include "dpbudget/accounting/renyi/poisson.h"

#include <cmath>
#include <memory>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/amplified.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {

using numeric::log_expm1;
using numeric::unit;
namespace {

// The terms without the exponentials are the binomial's own and sum to 1, so the moment less 1 is a sum of positive
// terms: e^{(l-1) eps(l)} - 1, and twice e^{(l-1) eps(l)} more from l = 3 on when the odd moments are unknown.
std::function<double(std::uint64_t)> log_coefficients(double rate, const CurvePtr& base, OddMoments odd_moments) {
  const double log_odds = std::log(rate) - std::log1p(-rate);
  return [=](std::uint64_t l) {
    const auto real = static_cast<double>(l);
    const double cumulant = (real - 1) * (*base)(real);
    const double log_weight = l == 2 || odd_moments == OddMoments::nonnegative
                                  ? log_expm1(cumulant)
                                  : cumulant + std::log(3 - std::exp(-cumulant));
    return real * log_odds + log_weight + 8 * unit * (4 + cumulant + std::abs(real * log_odds) + std::abs(log_weight));
  };
}

}  // namespace

PoissonAmplification::PoissonAmplification(double sampling_rate, const CurvePtr& base, OddMoments odd_moments)
    : moment_(log_coefficients(sampling_rate, base, odd_moments), std::log1p(-sampling_rate)) {
  require(0 < sampling_rate && sampling_rate < 1, "sampling_rate", sampling_rate, "in (0, 1)");
}

CurvePtr poisson_curve(double sampling_rate, CurvePtr base, OddMoments odd_moments) {
  ranges::rate(sampling_rate);
  if (sampling_rate == 0) return gaussian_curve(0);
  if (sampling_rate == 1) return base;
  const double infinity = amplified_pure_epsilon(sampling_rate, base->at_infinity());
  auto theorem = std::make_shared<PoissonAmplification>(sampling_rate, chorded_curve(base), odd_moments);
  return amplified_curve([theorem](std::uint64_t order) { return (*theorem)(order).upper(); }, std::move(base),
                         infinity);
}

double poisson_laplace(double sampling_rate, double scale, double order, double odd_moment_factor) {
  ranges::rate(sampling_rate);
  ranges::scale(scale);
  require(2 <= order && order <= 0x1p20 && order == std::floor(order), "order", order, "an integer in [2, 2^20]");
  require(odd_moment_factor == 1 || odd_moment_factor == 3, "odd_moment_factor", odd_moment_factor, "1 or 3");
  if (sampling_rate == 0) return 0;
  if (sampling_rate == 1 && odd_moment_factor == 1) return laplace(order, scale);
  if (sampling_rate == 1) return laplace(order, scale) + (order > 2 ? std::log(3.0) / (order - 1) : 0);
  const OddMoments odd = odd_moment_factor == 1 ? OddMoments::nonnegative : OddMoments::unknown;
  return PoissonAmplification(sampling_rate, laplace_curve(scale), odd)(to_integer<std::uint64_t>(order, "order"))
      .value;
}

}  // namespace dpbudget::renyi
