#include "dpbudget/accounting/plan/gaussian_noise.h"

#include <cmath>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {

using numeric::unit;
namespace {

// Below it the terms lose digits.
constexpr double least_inverse_variance = 1e-280;

// Sum of 1/noise^2, or nothing. `outward` is 1 plus or less one unit: each step goes to that side of the truth.
std::optional<double> inverse_variance(const Event& event, double outward) {
  using Sum = std::optional<double>;
  return match_node(
      event,
      [&](const Leaf& leaf) -> Sum {
        if (const auto* guarantee = std::get_if<GaussianDp>(&leaf.event()))
          return outward * guarantee->mu.value() * guarantee->mu.value();
        const auto* gaussian = std::get_if<Gaussian>(&leaf.event());
        if (gaussian == nullptr) return std::nullopt;
        const double noise = gaussian->noise_multiplier.value();
        return outward / noise / noise;
      },
      [](const PoissonSampled&) -> Sum { return std::nullopt; },
      [](const SampledWithoutReplacement&) -> Sum { return std::nullopt; },
      [](const SampledWithReplacement&) -> Sum { return std::nullopt; },
      [](const TruncatedPoisson&) -> Sum { return std::nullopt; },
      [](const Participates&) -> Sum { return std::nullopt; },
      [&](const Repeated& e) -> Sum {
        const auto once = inverse_variance(*e.inner, outward);
        if (!once) return std::nullopt;
        return outward * static_cast<double>(e.count.value()) * *once;
      },
      [&](const Composed& e) -> Sum {
        double sum = 0;
        for (const Event& part : e.parts) {
          const auto one = inverse_variance(part, outward);
          if (!one) return std::nullopt;
          sum = (sum + *one) * outward;
        }
        return sum;
      },
      [](const Shuffled&) -> Sum { return std::nullopt; }, [](const RandomlyAllocated&) -> Sum { return std::nullopt; },
      [](const ShuffledBatches&) -> Sum { return std::nullopt; },
      [&](const Grouped& e) -> Sum {
        const auto once = inverse_variance(*e.inner, outward);
        if (!once) return std::nullopt;
        const auto records = static_cast<double>(e.records.value());
        return outward * records * (records * *once) * outward;
      },
      [](const Selected&) -> Sum { return std::nullopt; });
}

}  // namespace

std::optional<double> gaussian_noise(const Event& event, Rounding rounding) {
  if (const auto* gaussian = std::get_if<Gaussian>(&event)) return gaussian->noise_multiplier.value();
  const double outward = rounding == Rounding::down ? 1 + unit : 1 - unit;
  const auto sum = inverse_variance(event, outward);
  if (!sum || !(least_inverse_variance < *sum) || std::isinf(*sum)) return std::nullopt;
  return 1 / std::sqrt(*sum) / outward;
}

double rounded_rate(const Rate& rate, Rounding rounding) {
  const double value = rate.value();
  const auto* fraction = std::get_if<Rate::Fraction>(&rate.form);
  if (fraction == nullptr) return value;
  const double error =
      std::fma(value, static_cast<double>(fraction->population), -static_cast<double>(fraction->drawn));
  if (rounding == Rounding::up) return error < 0 ? std::nextafter(value, 1.0) : value;
  return error > 0 ? std::nextafter(value, 0.0) : value;
}

}  // namespace dpbudget
