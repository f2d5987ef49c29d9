/// @file
/// Pairs of distributions with finitely many outcomes: composition, sampling and delta by their definitions alone. What
/// the accountant says is held against these.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "accounting/shuffle/finite_blankets.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::testing {

struct Outcome {
  long double p;
  long double q;
};
using FinitePair = std::vector<Outcome>;

inline FinitePair composed(const FinitePair& a, const FinitePair& b) {
  FinitePair product;
  for (const Outcome& x : a)
    for (const Outcome& y : b) product.push_back({x.p * y.p, x.q * y.q});
  return product;
}

inline FinitePair nothing_released() { return {{1, 1}}; }

/// The worst pair of (epsilon, delta)-DP (Kairouz, Oh, Viswanath 2015).
inline FinitePair approximate_pair(double epsilon, double delta) {
  const long double e = std::exp(static_cast<long double>(epsilon));
  const long double rest = 1 - static_cast<long double>(delta);
  return {{delta, 0}, {rest * e / (1 + e), rest / (1 + e)}, {rest / (1 + e), rest * e / (1 + e)}, {0, delta}};
}

inline FinitePair response_pair(double epsilon, std::uint64_t categories) {
  const long double e = std::exp(static_cast<long double>(epsilon));
  const long double total = e + static_cast<long double>(categories) - 1;
  FinitePair pair = {{e / total, 1 / total}, {1 / total, e / total}};
  const long double others = (static_cast<long double>(categories) - 2) / total;
  if (others > 0) pair.push_back({others, others});
  return pair;
}

/// The data set with the record in the sample's place against the one without.
inline FinitePair mixed(const FinitePair& pair, double rate) {
  FinitePair sampled = pair;
  for (Outcome& outcome : sampled) outcome.p = (1 - static_cast<long double>(rate)) * outcome.q + rate * outcome.p;
  return sampled;
}

inline FinitePair seen_participating(const FinitePair& pair, double rate) {
  FinitePair round = pair;
  for (Outcome& outcome : round) outcome = {rate * outcome.p, rate * outcome.q};
  round.push_back({1 - static_cast<long double>(rate), 1 - static_cast<long double>(rate)});
  return round;
}

[[noreturn]] inline FinitePair not_finite() { throw Unsupported("not a finite mechanism"); }

/// Each record in `times` of `steps` runs of it: the data set with the record against the one without.
inline FinitePair dealt(const FinitePair& pair, std::uint64_t steps, std::uint64_t times) {
  // Of every product, the sum of its masses over the subsets of so many of its factors, of none to `times`.
  using Product = std::vector<long double>;
  std::vector<Product> products = {Product(times + 1, 0)};
  products.front().front() = 1;
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::vector<Product> longer;
    for (const Product& before : products)
      for (const Outcome& outcome : pair) {
        Product product(times + 1);
        for (std::uint64_t in = 0; in <= times; ++in)
          product[in] = before[in] * outcome.q + (in > 0 ? before[in - 1] * outcome.p : 0);
        longer.push_back(std::move(product));
      }
    products = std::move(longer);
  }
  long double subsets = 1;
  for (std::uint64_t i = 0; i < times; ++i)
    subsets *= static_cast<long double>(steps - i) / static_cast<long double>(i + 1);
  FinitePair all;
  for (const Product& product : products) all.push_back({product.back() / subsets, product.front()});
  return all;
}

/// The pair behind an event of finite mechanisms; sampling of either kind is the mixture, which is attained.
inline FinitePair pair_of(const Event& event) {
  return match(
      event, [](const RandomizedResponse& e) { return response_pair(e.epsilon.value(), e.categories); },
      [](const PureDp& e) { return approximate_pair(e.epsilon.value(), 0); },
      [](const ApproximateDp& e) { return approximate_pair(e.epsilon.value(), e.delta.value()); },
      [](const PoissonSampled& e) { return mixed(pair_of(*e.inner), e.rate.value()); },
      [](const SampledWithoutReplacement& e) { return mixed(pair_of(*e.inner), e.rate.value()); },
      [](const SampledWithReplacement&) { return not_finite(); }, [](const TruncatedPoisson&) { return not_finite(); },
      [](const Participates& e) { return seen_participating(pair_of(*e.inner), e.rate.value()); },
      [](const Repeated& e) {
        const FinitePair once = pair_of(*e.inner);
        FinitePair all = nothing_released();
        for (std::uint64_t i = 0; i < e.count.value(); ++i) all = composed(all, once);
        return all;
      },
      [](const Composed& e) {
        FinitePair all = nothing_released();
        for (const Event& part : e.parts) all = composed(all, pair_of(part));
        return all;
      },
      [](const Gaussian&) { return not_finite(); }, [](const Laplace&) { return not_finite(); },
      [](const DiscreteGaussian&) { return not_finite(); }, [](const DiscreteLaplace&) { return not_finite(); },
      [](const Shuffled&) { return not_finite(); }, [](const ConcentratedDp&) { return not_finite(); },
      [](const TruncatedConcentratedDp&) { return not_finite(); }, [](const RenyiDp&) { return not_finite(); },
      [](const GaussianDp&) { return not_finite(); }, [](const MixtureOfGaussians&) { return not_finite(); },
      [](const BoundedRange&) { return not_finite(); },
      [](const FrequencyOracle auto& e) {
        const testing::Channel channel = testing::channel_of(e);
        FinitePair pair;
        for (std::size_t y = 0; y < channel[0].size(); ++y) pair.push_back({channel[0][y], channel[1][y]});
        return pair;
      },
      [](const RandomlyAllocated& e) { return dealt(pair_of(*e.inner), e.steps.value(), e.steps.times); },
      [](const ShuffledBatches&) { return not_finite(); }, [](const Grouped&) { return not_finite(); },
      [](const Selected&) { return not_finite(); }, [](const PrivacyProfile&) { return not_finite(); });
}

/// delta at epsilon of (P, Q), or of (Q, P) where `is_reversed`.
inline long double delta_of(const FinitePair& pair, double epsilon, bool is_reversed) {
  const long double factor = std::exp(static_cast<long double>(epsilon));
  long double delta = 0;
  for (const Outcome& outcome : pair)
    delta += std::max(0.0L, is_reversed ? outcome.q - factor * outcome.p : outcome.p - factor * outcome.q);
  return delta;
}

/// The larger of both directions.
inline long double delta_of(const FinitePair& pair, double epsilon) {
  return std::max(delta_of(pair, epsilon, false), delta_of(pair, epsilon, true));
}

}  // namespace dpbudget::testing
