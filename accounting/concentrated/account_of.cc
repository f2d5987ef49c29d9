#include "dpbudget/accounting/concentrated/account_of.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/concentrated/amplification.h"
#include "dpbudget/accounting/concentrated/zcdp.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::concentrated {
namespace {

using numeric::raised;
using numeric::unit;

constexpr TruncatedCdp nothing{0, infinity};

constexpr std::string_view composition_theorem = "composition: Chen et al. 2024, Lemma 3";

// accounting/concentrated/proofs.md, 5.1
class Builder : public PlanReader {
 public:
  explicit Builder(Adjacency adjacency) : PlanReader("concentrated", adjacency) {}

  TruncatedCdp tcdp(const Event& event) {
    return match(
        event,
        [&](const Gaussian& e) {
          cite("Gaussian: Bun, Steinke 2016, Proposition 1.6");
          return gaussian(e.noise_multiplier.value());
        },
        [&](const DiscreteGaussian& e) {
          cite("discrete Gaussian: Canonne, Kamath, Steinke 2020, Theorem 4");
          return gaussian(e.noise_multiplier.value());
        },
        [&](const Laplace& e) {
          cite("Laplace is pure DP of 1/scale: Dwork, McSherry, Nissim, Smith 2006, Proposition 1");
          return pure(raised(1 / e.scale.value(), unit));
        },
        [&](const DiscreteLaplace& e) {
          cite("discrete Laplace is pure DP of 1/scale: Ghosh, Roughgarden, Sundararajan 2009");
          return pure(raised(1 / e.scale.value(), unit));
        },
        [&](const RandomizedResponse& e) { return pure(e.epsilon.value()); },
        [&](const MixtureOfGaussians& e) {
          require_shift_theorem(event, adjacency(), "concentrated");
          cite("mixture of Gaussians, no more than its largest shift: accounting/plan/proofs.md, 3.2");
          return largest_shift(e);
        },
        [&](const PureDp& e) { return pure(e.epsilon.value()); },
        [&](const ApproximateDp&) -> TruncatedCdp {
          refuse(event, "an (epsilon, delta) guarantee bounds no Rényi divergence; give the mechanism itself, or pure");
        },
        [&](const ConcentratedDp& e) {
          cite("zCDP: by definition, Bun, Steinke 2016");
          return TruncatedCdp{e.rho.value(), infinity};
        },
        [&](const TruncatedConcentratedDp& e) {
          cite("tCDP: by definition, Bun, Dwork, Rothblum, Steinke 2018");
          return TruncatedCdp{e.rho.value(), e.omega.value()};
        },
        [&](const PrivacyProfile&) -> TruncatedCdp {
          const double epsilon = pure_epsilon(event, adjacency());
          if (!std::isfinite(epsilon))
            refuse(event, "guarantees that all have a delta bound no Rényi divergence; use loss_distribution");
          return pure(epsilon);
        },
        [&](const RenyiDp&) -> TruncatedCdp {
          refuse(event, "a table of Rényi divergences is used as it is by renyi");
        },
        [&](const GaussianDp& e) {
          cite("Gaussian DP: Dong, Roth, Su 2019, Corollary B.6");
          return TruncatedCdp{raised(e.mu.value() * e.mu.value() / 2, unit), infinity};
        },
        [&](const BoundedRange& e) {
          cite("bounded range: Cesar, Rogers 2021, by accounting/renyi/proofs.md, 8.1");
          return TruncatedCdp{raised(e.epsilon.value() / 8 * e.epsilon.value(), unit), infinity};
        },
        [&](const FrequencyOracle auto& e) { return pure(e.epsilon.value()); },
        [&](const PoissonSampled&) -> TruncatedCdp {
          refuse(event, "tCDP amplification is proven for sampling without replacement under replace_one; use wor");
        },
        [&](const SampledWithoutReplacement& e) { return without_replacement(e, event); },
        [&](const SampledWithReplacement&) -> TruncatedCdp {
          refuse(event, "a record may be drawn so often that no order of tCDP is left; use loss_distribution");
        },
        [&](const TruncatedPoisson&) -> TruncatedCdp {
          refuse(event, "tCDP amplification is proven for sampling without replacement under replace_one; use renyi");
        },
        [&](const Participates& e) { return participates(e); },
        [&](const Repeated& e) {
          const TruncatedCdp once = tcdp(*e.inner);
          cite_composition();
          return repeated(e.count.value(), once);
        },
        [&](const Composed& e) {
          TruncatedCdp sum = nothing;
          for (const Event& part : e.parts) sum = composed(sum, tcdp(part));
          if (!e.parts.empty()) cite_composition();
          return sum;
        },
        [&](const Shuffled& e) { return shuffled(e, event); },
        [&](const RandomlyAllocated& e) { return allocated(e, event); },
        [&](const ShuffledBatches& e) {
          require_batches_theorem(event, adjacency(), "concentrated");
          const TruncatedCdp inner = tcdp(*e.inner);
          cite("shuffled batches cost no more than their release: accounting/renyi/proofs.md, 7.3");
          return inner;
        },
        [&](const Grouped& e) { return grouped(e, event); },
        [&](const Selected&) -> TruncatedCdp {
          const double epsilon = pure_epsilon(event, adjacency());
          if (!std::isfinite(epsilon))
            refuse(event, "of selection it knows runs that are epsilon-DP; use loss_distribution or renyi");
          cite("the best of a random number of epsilon-DP runs: accounting/plan/proofs.md, 6.1");
          return pure(epsilon);
        });
  }

 private:
  void cite_composition() { cite(std::string(composition_theorem)); }

  // Two divisions.
  static TruncatedCdp gaussian(double noise) { return {raised(gaussian_rho(noise), 2 * unit), infinity}; }

  static TruncatedCdp largest_shift(const MixtureOfGaussians& e) {
    double rho = 0;
    for (const auto& [probability, offset] : e.shifts)
      if (probability > 0) {
        const double mean = offset / e.noise_multiplier.value();
        rho = std::max(rho, raised(mean * mean / 2, 4 * unit));
      }
    return {rho, infinity};
  }

  // A product and a hyperbolic tangent.
  TruncatedCdp pure(double epsilon) {
    cite("pure DP is epsilon tanh(epsilon/2)-zCDP: accounting/concentrated/proofs.md, 1.1");
    return {std::isinf(epsilon) ? infinity : raised(pure_rho(epsilon), 2 * unit), infinity};
  }

  TruncatedCdp participates(const Participates& e) {
    const TruncatedCdp inner = tcdp(*e.inner);
    cite("participation seen by the adversary costs nothing: accounting/concentrated/proofs.md, 3.2");
    return inner;
  }

  TruncatedCdp grouped(const Grouped& e, const Event& event) {
    const TruncatedCdp inner = tcdp(*e.inner);
    const auto records = static_cast<double>(e.records.value());
    const double omega = inner.omega / records * (1 - unit);
    if (!(omega > 1)) refuse(event, "no order of tCDP is left for so large a group");
    cite(
        "groups of records: Bun, Dwork, Rothblum, Steinke 2018, Proposition 6; zCDP: Bun, Steinke 2016, Proposition "
        "27");
    return {raised(records * records * inner.rho, 2 * unit), omega};
  }

  TruncatedCdp allocated(const RandomlyAllocated& e, const Event& event) {
    if (adjacency() == Adjacency::replace_one)
      refuse(event, "random allocation is analysed under add_or_remove_one or zero_out_one");
    const TruncatedCdp inner = tcdp(*e.inner);
    cite("random allocation costs no more than its releases: accounting/renyi/proofs.md, 7.1 and 7.2");
    return repeated(e.steps.times, inner);
  }

  TruncatedCdp shuffled(const Shuffled& e, const Event& event) {
    if (adjacency() != Adjacency::replace_one)
      refuse(event, "shuffling is analysed under replace_one, where the number of reports is public");
    if (shuffle::has_pure_reports(e)) refuse(event, "what hides a report among others is known to loss_distribution");
    const TruncatedCdp once = tcdp(*e.inner);
    cite(shuffle::reports_theorem);
    return once;
  }

  // accounting/concentrated/proofs.md, 3.3 and 4.2
  TruncatedCdp without_replacement(const SampledWithoutReplacement& sampled, const Event& event) {
    if (adjacency() != Adjacency::replace_one)
      refuse(event, "sampling without replacement is analysed under replace_one");
    const double rate = rounded_rate(sampled.rate, Rounding::up);
    const TruncatedCdp inner = tcdp(*sampled.inner);
    if (inner.rho == 0) return nothing;
    cite("sampling without replacement: Bun, Dwork, Rothblum, Steinke 2018, as Chen et al. 2024, Lemma 4, has it");
    // omega goes inwards before it is held against its precondition, and again afterwards; rho goes outwards.
    constexpr double inwards = 1 - 8 * unit;
    try {
      const TruncatedCdp amplified = tcdp_amplify(rate, {inner.rho, inner.omega * inwards});
      return {raised(amplified.rho, 4 * unit), amplified.omega * inwards};
    } catch (const Unsupported& precondition) {
      refuse(event, precondition.what());
    }
  }
};

}  // namespace

Account repeated(std::uint64_t count, const Account& once) {
  if (count == 1) return once;
  Account all{repeated(count, once.tcdp), once.theorems};
  if (count > 1 && std::ranges::find(all.theorems, composition_theorem) == all.theorems.end())
    all.theorems.emplace_back(composition_theorem);
  return all;
}

Account account_of(const NormalPlan& plan) {
  Builder builder(plan.adjacency());
  const TruncatedCdp tcdp = builder.tcdp(plan.event());
  return {tcdp, builder.take_theorems()};
}

}  // namespace dpbudget::concentrated
