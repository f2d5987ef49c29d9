#include "dpbudget/accounting/plan/pure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/truncated.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {

using numeric::unit;

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

double sampled(const Rate& rate, const Event& inner, Adjacency adjacency) {
  return amplified_pure_epsilon(rounded_rate(rate, Rounding::up), pure_epsilon(inner, adjacency));
}

}  // namespace

double amplified_pure_epsilon(double sampling_rate, double epsilon) {
  if (sampling_rate == 0 || epsilon == 0) return 0;
  if (sampling_rate == 1) return epsilon;
  if (epsilon < 700) return numeric::raised(std::log1p(sampling_rate * std::expm1(epsilon)), 8 * unit);
  const double amplified = epsilon + std::log(sampling_rate + (1 - sampling_rate) * std::exp(-epsilon));
  return amplified + 8 * unit * (epsilon + std::abs(std::log(sampling_rate)));
}

double selected_pure_epsilon(const Trials& trials, double epsilon) {
  if (!(epsilon > 0 && std::isfinite(epsilon))) return epsilon;
  if (const auto* poisson = std::get_if<Trials::Poisson>(&trials.law))
    return numeric::raised(epsilon + poisson->mean.value() * std::tanh(epsilon / 2), 8 * unit);
  const auto& [eta, gamma] = std::get<Trials::NegativeBinomial>(trials.law);
  // log((e^epsilon + gamma) / (1 + gamma e^epsilon))
  const double gain = std::log1p(-std::expm1(-epsilon) * (1 - gamma) / (gamma + std::exp(-epsilon)));
  return numeric::raised(epsilon + (1 + eta) * gain, 16 * unit);
}

double pure_epsilon(const Event& event, Adjacency adjacency) {
  return match(
      event, [](const Gaussian&) { return unknown; },
      [](const Laplace& e) { return numeric::raised(1 / e.scale.value(), unit); },
      [](const DiscreteGaussian&) { return unknown; },
      [](const DiscreteLaplace& e) { return numeric::raised(1 / e.scale.value(), unit); },
      [](const RandomizedResponse& e) { return e.epsilon.value(); }, [](const MixtureOfGaussians&) { return unknown; },
      [](const PureDp& e) { return e.epsilon.value(); },
      [](const ApproximateDp& e) { return e.delta.value() == 0 ? e.epsilon.value() : unknown; },
      [](const ConcentratedDp&) { return unknown; }, [](const TruncatedConcentratedDp&) { return unknown; },
      [](const RenyiDp&) { return unknown; },
      [](const PrivacyProfile& e) {
        const auto pure = std::ranges::find(e.points, 0.0, &TableRow::second);
        return pure == e.points.end() ? unknown : pure->first;
      },
      [](const GaussianDp&) { return unknown; }, [](const BoundedRange& e) { return e.epsilon.value(); },
      [](const FrequencyOracle auto& e) { return e.epsilon.value(); },
      [&](const PoissonSampled& e) {
        return adjacency == Adjacency::replace_one ? unknown : sampled(e.rate, *e.inner, adjacency);
      },
      [&](const SampledWithoutReplacement& e) {
        return adjacency == Adjacency::replace_one ? sampled(e.rate, *e.inner, adjacency) : unknown;
      },
      [&](const SampledWithReplacement& e) {
        if (adjacency != Adjacency::replace_one) return unknown;
        const std::optional<Event> all = for_copies(*e.inner, e.draws.number.value());
        if (!all) return unknown;
        return amplified_pure_epsilon(rate_of_record(e.draws, true), pure_epsilon(*all, adjacency));
      },
      [&](const TruncatedPoisson& e) {
        if (adjacency != Adjacency::add_or_remove_one) return unknown;
        const std::optional<Event> replaced = for_copies(*e.inner, 2);
        if (!replaced) return unknown;
        const TruncatedSample sample = truncated_sample(e);
        return std::max(amplified_pure_epsilon(sample.rate, pure_epsilon(*e.inner, adjacency)),
                        amplified_pure_epsilon(sample.rate_filled, pure_epsilon(*replaced, adjacency)));
      },
      [&](const Participates& e) {
        return rounded_rate(e.rate, Rounding::up) == 0 ? 0 : pure_epsilon(*e.inner, adjacency);
      },
      [&](const Repeated& e) {
        return numeric::multiply_up(static_cast<double>(e.count.value()), pure_epsilon(*e.inner, adjacency));
      },
      [&](const Composed& e) {
        double sum = 0;
        for (const Event& part : e.parts) sum = numeric::add_up(sum, pure_epsilon(part, adjacency));
        return sum;
      },
      [&](const Shuffled& e) {
        return adjacency == Adjacency::replace_one ? pure_epsilon(*e.inner, adjacency) : unknown;
      },
      [&](const RandomlyAllocated& e) {
        if (adjacency == Adjacency::replace_one) return unknown;
        return numeric::multiply_up(static_cast<double>(e.steps.times), pure_epsilon(*e.inner, adjacency));
      },
      [&](const ShuffledBatches& e) {
        return adjacency == Adjacency::add_or_remove_one ? unknown : pure_epsilon(*e.inner, adjacency);
      },
      [&](const Grouped& e) {
        return numeric::multiply_up(static_cast<double>(e.records.value()), pure_epsilon(*e.inner, adjacency));
      },
      [&](const Selected& e) { return selected_pure_epsilon(e.trials, pure_epsilon(*e.inner, adjacency)); });
}

}  // namespace dpbudget
