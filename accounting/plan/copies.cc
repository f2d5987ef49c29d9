#include "dpbudget/accounting/plan/copies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/geometric_sum.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/numeric/tail_sum.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {

using numeric::Binomial;
using numeric::multiply_up;
using numeric::raised;
using numeric::unit;
namespace {

using Found = std::optional<Event>;

// As `Kind`, if its number, rounded up, is one.
template <class Kind>
Found with_number(double number) {
  return std::isfinite(number) ? Found(Kind{number}) : std::nullopt;
}

// Noise or scale against a sensitivity that is `copies` times as large.
template <class Kind>
Found with_noise(double noise, double copies) {
  const double relative = noise / copies * (1 - unit);
  return relative > 0 ? Found(Kind{relative}) : std::nullopt;
}

Found approximate_for(const ApproximateDp& once, double copies) {
  const double epsilon = multiply_up(once.epsilon.value(), copies);
  if (!std::isfinite(epsilon)) return std::nullopt;
  // 1 + e^epsilon + ... + e^((copies - 1) epsilon)
  const double times = numeric::exponential_sum(once.epsilon.value(), copies);
  const double delta = once.delta.value() == 0 ? 0 : raised(once.delta.value() * times, 8 * unit);
  return ApproximateDp{epsilon, std::min(1.0, delta)};
}

constexpr double never = -std::numeric_limits<double>::infinity();

// log P(more than `copies`): a reference value, and an upper bound, which takes longer.
double log_about_beyond(const Occurrences& law, double copies) {
  return copies < law.times().count() ? numeric::log_tail_sum(law.times(), copies + 1, {never, 0}) : never;
}
double log_beyond(const Occurrences& law, double copies) {
  return copies < law.times().count() ? numeric::log_tail_sum_bracket(law.times(), copies + 1, {never, 0}).upper
                                      : never;
}

// So unlikely that a record is drawn less often than `least` says.
constexpr double unlikely = 1e-300;

double least(const Occurrences& law) {
  return std::max(1.0, std::floor(law.times().mean() - 40 * std::sqrt(law.times().mean()) - 40));
}

}  // namespace

std::optional<Event> for_copies(const Event& event, std::uint64_t copies) {
  if (copies == 1) return event;
  const auto k = static_cast<double>(copies);
  return match(
      event, [&](const Gaussian& e) { return with_noise<Gaussian>(e.noise_multiplier.value(), k); },
      [&](const Laplace& e) { return with_noise<Laplace>(e.scale.value(), k); },
      [&](const DiscreteGaussian& e) {
        const double ratio = k / e.noise_multiplier.value();
        return with_number<ConcentratedDp>(raised(ratio * ratio / 2, 2 * unit));
      },
      [&](const DiscreteLaplace& e) { return with_number<PureDp>(raised(k / e.scale.value(), unit)); },
      [&](const RandomizedResponse& e) { return with_number<PureDp>(multiply_up(e.epsilon.value(), k)); },
      [](const MixtureOfGaussians&) { return Found(); },  // whether records are shifted together is not said
      [&](const PureDp& e) { return with_number<PureDp>(multiply_up(e.epsilon.value(), k)); },
      [&](const ApproximateDp& e) { return approximate_for(e, k); },
      [&](const ConcentratedDp& e) {
        return with_number<ConcentratedDp>(multiply_up(multiply_up(e.rho.value(), k), k));
      },
      [&](const TruncatedConcentratedDp& e) {
        const double rho = multiply_up(multiply_up(e.rho.value(), k), k);
        const double omega = e.omega.value() / k * (1 - unit);
        return std::isfinite(rho) && omega > 1 ? Found(TruncatedConcentratedDp{rho, omega}) : std::nullopt;
      },
      [](const RenyiDp&) { return Found(); }, [](const PrivacyProfile&) { return Found(); },
      [&](const GaussianDp& e) { return with_number<GaussianDp>(multiply_up(e.mu.value(), k)); },
      [&](const BoundedRange& e) { return with_number<BoundedRange>(multiply_up(e.epsilon.value(), k)); },
      [&](const FrequencyOracle auto& e) { return with_number<PureDp>(multiply_up(e.epsilon.value(), k)); },
      [](const PoissonSampled&) { return Found(); }, [](const SampledWithoutReplacement&) { return Found(); },
      [](const SampledWithReplacement&) { return Found(); }, [](const TruncatedPoisson&) { return Found(); },
      [](const Participates&) { return Found(); },
      [&](const Repeated& e) {
        Found inner = for_copies(*e.inner, copies);
        return inner ? Found(Repeated{e.count, *std::move(inner)}) : std::nullopt;
      },
      [&](const Composed& e) {
        std::vector<Event> parts;
        for (const Event& part : e.parts) {
          Found found = for_copies(part, copies);
          if (!found) return Found();
          parts.push_back(*std::move(found));
        }
        return Found(Composed{std::move(parts)});
      },
      [](const Shuffled&) { return Found(); }, [](const RandomlyAllocated&) { return Found(); },
      [](const ShuffledBatches&) { return Found(); },
      [&](const Grouped& e) {
        if (copies > ranges::max_draws / e.records.value()) return Found();
        return for_copies(*e.inner, copies * e.records.value());
      },
      [&](const Selected& e) {
        Found inner = for_copies(*e.inner, copies);
        return inner ? Found(Selected{e.trials, *std::move(inner)}) : std::nullopt;
      });
}

Event for_copies(const SampledWithReplacement& event, std::uint64_t copies, Adjacency adjacency,
                 std::string_view accountant) {
  std::optional<Event> found = for_copies(*event.inner, copies);
  if (!found)
    refuse(accountant, event, adjacency,
           "a record may be drawn several times, and what that tells is known of leaves, their repetition and their "
           "composition, as far as a double holds it");
  return *std::move(found);
}

Event for_group(const Grouped& group, const Event& inside, std::uint64_t copies, Adjacency adjacency,
                std::string_view accountant) {
  std::optional<Event> found = for_copies(inside, copies);
  if (!found)
    refuse(accountant, group, adjacency,
           "of groups it knows leaves, their repetition and composition, and Poisson samples of them, as far as a "
           "double holds it; approximate takes other groups");
  return *std::move(found);
}

void require_replacement_theorem(const SampledWithReplacement& event, Adjacency adjacency,
                                 std::string_view accountant) {
  if (adjacency != Adjacency::replace_one)
    refuse(accountant, event, adjacency,
           "batches drawn with replacement are analysed under replace_one, where the number of records is public");
  static_cast<void>(for_copies(event, 2, adjacency, accountant));
}

Occurrences::Occurrences(const Draws& draws)
    : most_(draws.number.value()),
      is_certain_(draws.population == 1),
      log_absent_(static_cast<double>(most_) * std::log1p(-1 / static_cast<double>(draws.population))),
      times_(Binomial::of_one_in(static_cast<double>(most_), static_cast<double>(draws.population))) {}

Occurrences Occurrences::of_group(std::uint64_t records, double rate) {
  const auto number = static_cast<double>(records);
  return {records, rate == 1, number * std::log1p(-rate), Binomial::of_rate(number, rate)};
}

std::optional<SampledGroup> sampled_group(const Grouped& group, Rounding rounding) {
  const auto* sampled = std::get_if<PoissonSampled>(&*group.inner);
  if (sampled == nullptr) return std::nullopt;
  // A sample of a sample is a sample at the product of the rates.
  double rate = rounded_rate(sampled->rate, rounding);
  while (const auto* deeper = std::get_if<PoissonSampled>(&*sampled->inner)) {
    sampled = deeper;
    rate *= rounded_rate(sampled->rate, rounding);
    rate = rounding == Rounding::up ? std::min(1.0, rate * (1 + unit)) : rate * (1 - unit);
  }
  if (!std::isnormal(rate)) return std::nullopt;
  return SampledGroup{Occurrences::of_group(group.records.value(), rate), rate, *sampled->inner};
}

double rate_of_record(const Occurrences& law, bool is_up) {
  const double rate = -std::expm1(law.log_absent());
  return is_up ? std::min(1.0, raised(rate, 4 * unit)) : rate * (1 - 4 * unit);
}

double log_probability_of(const Occurrences& law, std::uint64_t copies) {
  if (law.is_certain()) return copies == law.most() ? 0 : never;
  const double log_mass = law.times().log_mass(static_cast<double>(copies));
  const double log_probability = log_mass - std::log(rate_of_record(law, false));
  return std::min(0.0, log_probability + law.times().log_mass_error(log_mass) + 8 * unit * std::abs(log_mass));
}

// accounting/plan/proofs.md, 2.5
std::uint64_t exceeded_rarely(const Occurrences& law, double probability) {
  if (law.is_certain()) return law.most();
  const double log_allowed = std::log(probability);
  std::uint64_t low = std::min(law.most(), to_integer<std::uint64_t>(least(law), "copies"));
  std::uint64_t high = law.most();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (log_about_beyond(law, static_cast<double>(middle)) <= log_allowed)
      high = middle;
    else
      low = middle + 1;
  }
  while (log_beyond(law, static_cast<double>(low)) > log_allowed) ++low;
  return low;
}

// accounting/plan/proofs.md, 2.5
TimesDrawn times_drawn(const Occurrences& law, double negligible) {
  if (law.is_certain()) return {{{1, law.most()}}, 0, 0};
  const double rate = rate_of_record(law, false);
  const std::uint64_t most = exceeded_rarely(law, negligible * rate);
  const std::uint64_t first = std::min(most, to_integer<std::uint64_t>(least(law), "copies"));
  const std::uint64_t width = (most - first) / most_kinds + 1;
  const double log_rest = log_beyond(law, static_cast<double>(most));
  TimesDrawn found{{}, 0, std::min(1.0, std::exp(log_rest) / rate * (1 + 8 * unit))};
  double probability = unlikely;  // of less copies than the first
  double least_log = 0;
  for (std::uint64_t copies = first; copies <= most; ++copies) {
    const double log_mass = law.times().log_mass(static_cast<double>(copies));
    probability += std::max(unlikely, std::exp(log_mass));
    least_log = std::min(least_log, std::max(log_mass, std::log(unlikely)));
    if (copies < most && (copies - first + 1) % width != 0) continue;
    found.kinds.push_back({probability / rate, copies});
    probability = 0;
  }
  found.error = law.times().log_mass_error(least_log) + unit * (16 + static_cast<double>(width));
  return found;
}

}  // namespace dpbudget
