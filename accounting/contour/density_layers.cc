#include "dpbudget/accounting/contour/density_layers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dpbudget::contour {
namespace {

constexpr double deviations = 7;
constexpr double steps = 96;

}  // namespace

DensityLayers::DensityLayers(const SamplePair& pair, double noise_multiplier, double c, double log_moment) {
  const bool is_half = pair.kind == SampleKind::without_replacement;
  // Half of the outcomes, and the mirror image of their losses.
  const double middle = 0.5 / noise_multiplier;
  if (pair.kind != SampleKind::add) add(noise_multiplier, pair.rate, c + 1, is_half ? middle : -deviations, log_moment);
  if (pair.kind != SampleKind::remove) {
    const double left = std::min(deviations + c / noise_multiplier,
                                 std::sqrt(deviations * deviations - 2 * (c + 1) * std::log1p(-pair.rate)));
    add(noise_multiplier, pair.rate, -c, is_half ? middle : -left, log_moment);
  }
}

// The density at u of log(1 + x), x = rate (e^{u / noise - ...} - 1), u standard normal, times (1 + x)^power: log r
// is concave in u, r / noise the loss's derivative; the logarithm of the density bends by at most `sag` between steps.
// accounting/contour/proofs.md, 2.2
void DensityLayers::add(double noise, double rate, double power, double from, double log_moment) {
  const double to = std::max(from, 0.0) + deviations + std::max(power, 1.0) / noise;
  const double step = std::min((to - from) / steps, 0.25);
  const double steepness = power + 1;
  const double sag = step * step / 8 * std::max(0.0, steepness / 4 / noise / noise - 1);
  struct At {
    double log_slope;
    double log_density;
  };
  const auto at = [&](double u) -> At {
    const double exponent = u / noise - 0.5 / noise / noise;
    const double loss = exponent < 600 ? std::log1p(rate * std::expm1(exponent)) : std::log(rate) + exponent;
    const double log_slope = std::log(rate / noise) + exponent - loss;
    const double log_normal = -u * u / 2 - std::log(2 * std::numbers::pi) / 2;
    return {log_slope, log_normal + power * loss - log_moment - log_slope};
  };
  Layers layers;
  At before = at(from);
  const double number = std::ceil((to - from) / step);
  for (double k = 1; k <= number; ++k) {
    const At after = at(from + k * step);
    const double log_height = std::min(before.log_density, after.log_density) - sag;
    const double rise = after.log_slope - before.log_slope;
    const double width = step * std::exp(before.log_slope) * (rise > 0 ? std::expm1(rise) / rise : 1);
    layers.add_step(width, std::exp(std::min(log_height, 700.0)));
    before = after;
  }
  layers.close();
  layers_.push_back(std::move(layers));
}

double DensityLayers::lost(double s) const {
  double sum = 0;
  for (const Layers& layers : layers_) sum -= std::expm1(layers.log_bound(s));
  return std::min(1.0, sum);
}

}  // namespace dpbudget::contour
