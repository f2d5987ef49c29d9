#include "dpbudget/fl/account/release_event.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/shuffle/vector_sum/vector_sum.h"
#include "dpbudget/fl/run/noise_scale.h"
#include "dpbudget/mechanisms/sample.h"

namespace dpbudget::fl {
namespace {

// Of the whole, what the adversary cannot take off: all, or all but its own, which is at most the largest.
// fl/account/proofs.md, 2.1 and 2.3
template <class Number>
Number unknown_to(Adversary adversary, const Shares<Number>& shares) {
  if (adversary == Adversary::other_clients) return shares.own;
  if (adversary != Adversary::one_client) return std::max(shares.own, shares.all);
  return std::max<Number>(shares.own, shares.all - std::min(shares.all, shares.largest));
}

// What a sum of vectors with binomial noise costs a record, of which `honest` reports carry noise unknown to the
// adversary: an (epsilon, delta / 2) pair.
// fl/account/proofs.md, 8.1
ApproximateDp binomial_event(const mechanisms::BinomialEncoder& encoder, std::uint64_t honest, std::uint64_t dimension,
                             double delta) {
  require(dimension >= 1, "dimension", dimension, "that of the model: binomial noise depends on it");
  const shuffle::VectorSum sum{honest, encoder.noise_bits, encoder.probability, encoder.granularity, dimension};
  return {shuffle::vector_sum_epsilon(sum, delta / 2).upper, delta / 2};
}

}  // namespace

Shares<std::uint64_t> fewest_reports(const SettledRun& run, const Sizes& sizes, std::uint64_t own) {
  if (sizes.least_others.empty()) return {own, own * drawn(run->user_rate, sizes.clients), own};
  Shares<std::uint64_t> reports{own, own, own};
  for (const std::uint64_t records : sizes.least_others) {
    const std::uint64_t batch = batch_of(run, records);
    reports.largest = std::max(reports.largest, batch);
    reports.all += batch;
  }
  return reports;
}

// fl/account/proofs.md, 6.1
double unit_noise_multiplier(const SettledRun& run, Mechanism mechanism, Adversary adversary, double noise_multiplier,
                             std::uint64_t sample) {
  if (traits_of(mechanism).is_shuffled) return noise_multiplier;
  return adversary == Adversary::user_level ? user_noise_multiplier(run, noise_multiplier, sample)
                                            : record_noise_multiplier(run, noise_multiplier, sample);
}

double joint_noise(double a, double b) { return rounding_down / std::hypot(1 / a, 1 / b); }

ReleaseAccount::ReleaseAccount(const SettledRun& run, std::uint64_t clients, Adversary adversary)
    : adversary_(adversary), delta_(run->delta), reports_(run, clients) {}

double ReleaseAccount::noise(const ReleaseView& view) const {
  const bool whole_client = adversary_ == Adversary::user_level;
  const auto sample = static_cast<double>(view.sample);
  double noise = view.noise_multiplier;
  if (view.mechanism == Mechanism::shuffled_gaussian)
    return whole_client ? noise * (rounding_down / std::sqrt(sample)) : noise;
  // A whole client moves the count by up to the size of the batch.
  if (view.count_noise) noise = joint_noise(noise, *view.count_noise / (whole_client ? sample : 1));
  const bool sees_the_mean = adversary_ == Adversary::third_party || adversary_ == Adversary::one_client;
  if (!view.variances || !sees_the_mean) return noise;
  const double factor = std::sqrt(unknown_to(adversary_, *view.variances) / view.variances->own);
  return std::isfinite(factor) ? noise * (factor * rounding_down) : noise;
}

// fl/account/proofs.md, 7.3
std::uint64_t ReleaseAccount::hidden_among(const ReleaseView& view) const {
  return unknown_to(adversary_, view.reports);
}

std::optional<ApproximateDp> ReleaseAccount::binomial(const ReleaseView& view) const {
  if (adversary_ == Adversary::user_level || !view.encoder) return std::nullopt;
  return binomial_event(*view.encoder, hidden_among(view), view.dimension, delta_);
}

std::optional<Event> ReleaseAccount::operator()(const ReleaseView& view) {
  if (view.mechanism == Mechanism::none) return std::nullopt;
  if (view.mechanism == Mechanism::shuffled_binomial) {
    const auto release = binomial(view);
    if (!release) return std::nullopt;
    return sampled_batch(view.sample, view.population, *release);
  }
  Event release = Gaussian{noise(view)};
  if (adversary_ == Adversary::user_level) return release;
  if (view.mechanism == Mechanism::shuffled_gaussian)
    release = reports_(noise(view), hidden_among(view), ShuffledReports::Batch{view.sample, view.population});
  if (view.batches == Batches::with_replacement)
    return mechanisms::event_of(mechanisms::WithReplacement{view.sample, view.population}, std::move(release));
  return sampled_batch(view.sample, view.population, std::move(release));
}

std::optional<Event> ReleaseAccount::once(std::span<const ReleaseView> views) {
  const Mechanism mechanism = views.front().mechanism;
  if (std::ranges::any_of(views, [&](const ReleaseView& view) { return view.mechanism != mechanism; }))
    return std::nullopt;
  if (mechanism == Mechanism::shuffled_binomial) {
    std::optional<ApproximateDp> worst;
    for (const ReleaseView& view : views) {
      const auto event = binomial(view);
      if (!event) return std::nullopt;
      if (!worst || worst->epsilon.value() < event->epsilon.value()) worst = event;  // the deltas are the same
    }
    return worst ? std::optional<Event>(*worst) : std::nullopt;
  }
  double least = std::numeric_limits<double>::infinity();
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (const ReleaseView& view : views) {
    least = std::min(least, noise(view));
    fewest = std::min(fewest, hidden_among(view));
  }
  if (mechanism == Mechanism::shuffled_gaussian) return reports_(least, fewest, std::nullopt);
  return Gaussian{least};
}

std::optional<Event> ReleaseAccount::pass(std::span<const ReleaseView> views, std::uint64_t batches) {
  const std::uint64_t sample = views.front().sample;
  const std::uint64_t population = views.front().population;
  const bool is_one_order = std::ranges::all_of(views, [&](const ReleaseView& view) {
    return view.mechanism == Mechanism::gaussian && view.sample == sample && view.population == population;
  });
  if (!is_one_order || batches == 0 || batches > population / sample) return std::nullopt;
  double least = std::numeric_limits<double>::infinity();
  for (const ReleaseView& view : views) least = std::min(least, noise(view));
  Event release = Gaussian{least};
  if (batches > 1) release = ShuffledBatches{batches, std::move(release)};
  // What is left of the order hides who is in its batches.
  return batches * sample == population ? release : sampled_batch(batches * sample, population, std::move(release));
}

}  // namespace dpbudget::fl
