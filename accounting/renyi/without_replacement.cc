#include "dpbudget/accounting/renyi/without_replacement.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/log_math.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/renyi/amplified.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/gaussian_central_moment.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/pure.h"

namespace dpbudget::renyi {

using numeric::log_expm1;
using numeric::unit;
namespace {

constexpr std::uint64_t longest_ternary = 4096;  // beyond, the central moments cost more than they gain

std::function<double(std::uint64_t)> log_coefficients(double rate, const CurvePtr& base,
                                                      std::optional<double> gaussian_noise) {
  const double log_rate = std::log(rate);
  const double log_loss = log_expm1(base->at_infinity());  // log(e^{eps(inf)} - 1), infinite when eps(inf) is
  auto central = gaussian_noise ? std::make_shared<GaussianCentralMoments>(*gaussian_noise) : nullptr;
  return [=](std::uint64_t j) {
    const auto real = static_cast<double>(j);
    const double cumulant = (real - 1) * (*base)(real);
    double log_moment = cumulant + std::min(std::numbers::ln2, real * log_loss);
    if (j == 2) {
      log_moment = std::min(log_moment, std::log(4.0) + log_expm1(cumulant));
    } else if (central && j <= longest_ternary) {
      log_moment = std::min(log_moment, std::log(4.0) + ((*central)(j - j % 2) + (*central)(j + j % 2)) / 2);
    }
    const double log_term = real * log_rate + log_moment;
    return log_term + 8 * unit * (4 + cumulant + std::abs(real * log_rate) + std::abs(log_moment));
  };
}

std::uint64_t integer_order(double order) {
  require(2 <= order && order <= 0x1p20 && order == std::floor(order), "order", order, "an integer in [2, 2^20]");
  return to_integer<std::uint64_t>(order, "order");
}

double uncapped(double sampling_rate, const CurvePtr& base, double order, std::optional<double> gaussian_noise) {
  ranges::rate(sampling_rate);
  const std::uint64_t integer = integer_order(order);
  if (sampling_rate == 0) return 0;
  return WithoutReplacement(sampling_rate, base, gaussian_noise)(integer).value;
}

CurvePtr single_gaussian(double noise_multiplier) {
  ranges::noise_multiplier(noise_multiplier);
  return gaussian_curve(1 / noise_multiplier / noise_multiplier);
}

}  // namespace

WithoutReplacement::WithoutReplacement(double sampling_rate, const CurvePtr& base, std::optional<double> gaussian_noise)
    : moment_(log_coefficients(sampling_rate, base, gaussian_noise), 0) {
  require(0 < sampling_rate && sampling_rate <= 1, "sampling_rate", sampling_rate, "in (0, 1]");
}

CurvePtr without_replacement_curve(double sampling_rate, CurvePtr base) {
  ranges::rate(sampling_rate);
  if (sampling_rate == 0) return gaussian_curve(0);
  if (sampling_rate == 1) return base;
  const double infinity = amplified_pure_epsilon(sampling_rate, base->at_infinity());
  auto theorem = std::make_shared<WithoutReplacement>(sampling_rate, chorded_curve(base));
  return amplified_curve([theorem](std::uint64_t order) { return (*theorem)(order).upper(); }, std::move(base),
                         infinity);
}

double without_replacement_gaussian_uncapped(double sampling_rate, double noise_multiplier, double order,
                                             bool ternary) {
  return uncapped(sampling_rate, single_gaussian(noise_multiplier), order,
                  ternary ? std::optional(noise_multiplier) : std::nullopt);
}

double without_replacement_gaussian_interpolated_uncapped(double sampling_rate, double noise_multiplier, double order) {
  ranges::rate(sampling_rate);
  require(1 < order && order <= 0x1p20, "order", order, "in (1, 2^20]");
  const CurvePtr base = single_gaussian(noise_multiplier);
  if (sampling_rate == 0) return 0;
  const WithoutReplacement theorem(sampling_rate, base);
  const double lower = std::floor(order);
  const double upper = std::ceil(order);
  const auto at = [&](double integer) {
    return integer < 2 ? 0 : theorem(to_integer<std::uint64_t>(integer, "order")).value;
  };
  return interpolate(order, lower, at(lower), upper, at(upper));
}

double without_replacement_laplace_uncapped(double sampling_rate, double scale, double order) {
  return uncapped(sampling_rate, laplace_curve(scale), order, std::nullopt);
}

}  // namespace dpbudget::renyi
