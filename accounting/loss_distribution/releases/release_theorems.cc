#include "dpbudget/accounting/loss_distribution/releases/release_theorems.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/loss_distribution/releases/grouped_response.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/normal_mixture.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/plan/truncated.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::loss_distribution {

void refuse_without_pair(std::string_view accountant, const Event& event, Adjacency adjacency) {
  refuse(accountant, event, adjacency,
         "a bound on Rényi divergences is no loss distribution; use renyi or concentrated");
}

namespace {

// Mechanisms indeed, not what is as private as one: of those nothing is known where the record is missing.
bool releases_gaussians_only(const Event& event) {
  return match_node(
      event, [](const Leaf& leaf) { return std::holds_alternative<Gaussian>(leaf.event()); },
      [](const PoissonSampled&) { return false; }, [](const SampledWithoutReplacement&) { return false; },
      [](const SampledWithReplacement&) { return false; }, [](const TruncatedPoisson&) { return false; },
      [](const Participates&) { return false; }, [](const Repeated& e) { return releases_gaussians_only(*e.inner); },
      [](const Composed& e) { return std::ranges::all_of(e.parts, releases_gaussians_only); },
      [](const Shuffled&) { return false; }, [](const RandomlyAllocated&) { return false; },
      [](const ShuffledBatches&) { return false; }, [](const Grouped&) { return false; },
      [](const Selected&) { return false; });
}

bool samples_gaussians_only(const PoissonSampled& event) {
  const auto* deeper = std::get_if<PoissonSampled>(&*event.inner);
  return deeper != nullptr ? samples_gaussians_only(*deeper) : releases_gaussians_only(*event.inner);
}

void require_theorem_inside(const Event& event, Adjacency adjacency, std::string_view accountant) {
  require_theorem(event, adjacency, accountant);
  each_child(event, [&](const Event& child) { require_theorem_inside(child, adjacency, accountant); });
}

void require_group_theorem(const Grouped& group, Adjacency adjacency, std::string_view accountant) {
  const auto sampled = sampled_group(group, Rounding::up);
  if (sampled && gaussian_noise(sampled->inside, Rounding::down)) return;
  const Event& inside = sampled ? sampled->inside : *group.inner;
  const Event together = for_group(group, inside, 2, adjacency, accountant);
  if (is_known_by_moments(together)) refuse_without_pair(accountant, group, adjacency);
  require_theorem_inside(together, adjacency, accountant);
}

}  // namespace

void require_theorem(const Event& event, Adjacency adjacency, std::string_view accountant) {
  if (const auto* sampled = std::get_if<PoissonSampled>(&event))
    if (adjacency == Adjacency::replace_one && !samples_gaussians_only(*sampled))
      refuse(accountant, event, adjacency,
             "under replace_one Poisson sampling is analysed for Gaussians; else use wor, or add_or_remove_one or "
             "zero_out_one");
  if (is_known_by_moments(event)) refuse_without_pair(accountant, event, adjacency);
  if (std::holds_alternative<MixtureOfGaussians>(event)) require_shift_theorem(event, adjacency, accountant);
  if (std::holds_alternative<RandomlyAllocated>(event) && adjacency == Adjacency::replace_one)
    refuse(accountant, event, adjacency, "random allocation is analysed under add_or_remove_one or zero_out_one");
  if (std::holds_alternative<ShuffledBatches>(event)) require_batches_theorem(event, adjacency, accountant);
  if (std::holds_alternative<SampledWithoutReplacement>(event) && adjacency != Adjacency::replace_one)
    refuse(accountant, event, adjacency,
           "sampling without replacement is analysed under replace_one; else use poisson");
  if (const auto* sampled = std::get_if<SampledWithReplacement>(&event)) {
    require_replacement_theorem(*sampled, adjacency, accountant);
    require_theorem_inside(for_copies(*sampled, 2, adjacency, accountant), adjacency, accountant);
  }
  if (const auto* truncated = std::get_if<TruncatedPoisson>(&event)) {
    require_truncation_theorem(*truncated, adjacency, accountant);
    require_theorem_inside(for_replaced(*truncated, adjacency, accountant), adjacency, accountant);
  }
  if (const auto* group = std::get_if<Grouped>(&event)) require_group_theorem(*group, adjacency, accountant);
  if (const auto* shuffled = std::get_if<Shuffled>(&event)) {
    if (adjacency != Adjacency::replace_one)
      refuse(accountant, event, adjacency,
             "shuffling is analysed under replace_one, where the number of reports is public");
    if (!shuffle::has_pure_reports(*shuffled)) require_theorem_inside(*shuffled->inner, adjacency, accountant);
  }
}

std::vector<std::string> theorems_of(const Event& event, Adjacency adjacency) {
  using Theorems = std::vector<std::string>;
  return match(
      event, [](const Gaussian&) { return Theorems{"Gaussian: Balle, Wang 2018, Theorem 8"}; },
      [](const Laplace&) { return Theorems{"Laplace: by definition"}; },
      [](const DiscreteGaussian&) { return Theorems{"discrete Gaussian: Canonne, Kamath, Steinke 2020, Theorem 7"}; },
      [](const DiscreteLaplace&) { return Theorems{"discrete Laplace: by definition"}; },
      [](const RandomizedResponse&) { return Theorems{"randomised response: by definition"}; },
      [](const MixtureOfGaussians&) {
        return Theorems{
            "mixture of Gaussians: Charles et al. 2024, both directions, by accounting/plan/proofs.md, 3.1; its "
            "losses: "
            "accounting/loss_distribution/proofs.md, 4g.1"};
      },
      [](const PureDp&) {
        return Theorems{"pure DP: Kairouz, Oh, Viswanath 2015, dominating mechanism of Theorem 3.3"};
      },
      [](const ApproximateDp&) {
        return Theorems{"(epsilon, delta)-DP: Kairouz, Oh, Viswanath 2015, dominating mechanism of Theorem 3.3"};
      },
      [](const ConcentratedDp&) { return Theorems(); }, [](const TruncatedConcentratedDp&) { return Theorems(); },
      [](const RenyiDp&) { return Theorems(); },
      [](const PrivacyProfile&) {
        return Theorems{
            "a table of (epsilon, delta) guarantees, its largest profile: accounting/profile/proofs.md, 1.1"};
      },
      [](const GaussianDp&) { return Theorems{"Gaussian DP: Dong, Roth, Su 2019, Definition 2.6"}; },
      [](const BoundedRange&) {
        return Theorems{
            "bounded range: from above pure DP, Kairouz, Oh, Viswanath 2015, Theorem 3.3; from below randomised "
            "response of half the range"};
      },
      [](const FrequencyOracle auto& e) { return Theorems{told_response_theorem(e)}; },
      [&](const PoissonSampled&) {
        if (adjacency == Adjacency::replace_one)
          return Theorems{
              "Poisson sampling, a record replaced, each adding at most half the sensitivity: "
              "accounting/loss_distribution/proofs.md, 4e.1"};
        return Theorems{"Poisson sampling: Balle, Barthe, Gaboardi 2018, Theorem 8, both directions"};
      },
      [](const SampledWithoutReplacement&) {
        return Theorems{"sampling without replacement: Dong, Roth, Su 2019, Theorem 4.2"};
      },
      [](const SampledWithReplacement&) {
        return Theorems{
            "batches drawn with replacement: Balle, Barthe, Gaboardi 2018, Theorem 10, composed by "
            "accounting/plan/proofs.md, 2.1"};
      },
      [](const TruncatedPoisson&) {
        return Theorems{
            "Poisson sampling of batches of limited size, both directions: accounting/plan/proofs.md, 5.1; its "
            "losses: accounting/loss_distribution/proofs.md, 4f.1"};
      },
      [](const Participates&) {
        return Theorems{"participation seen by the adversary: accounting/renyi/proofs.md, 6.1"};
      },
      [](const Repeated&) { return Theorems(); }, [](const Composed&) { return Theorems(); },
      [](const Shuffled& e) { return shuffle::dominating_theorems(e); },
      [](const RandomlyAllocated& e) {
        Theorems all{
            "random allocation: Feldman, Shenfeld 2025, dominating pair, both directions; its losses: "
            "accounting/loss_distribution/proofs.md, 4c.1"};
        if (e.steps.times > 1)
          all.emplace_back(
              "into several steps: as many allocations of one record each, Feldman, Shenfeld 2025, by "
              "accounting/loss_distribution/proofs.md, 4c.6");
        return all;
      },
      [](const ShuffledBatches&) {
        return Theorems{
            "shuffled batches, no more than their release: accounting/renyi/proofs.md, 7.3; from below: Chua et al. "
            "2024, by accounting/loss_distribution/proofs.md, 4j.1"};
      },
      [&](const Grouped& e) {
        if (gaussian_noise(event, Rounding::down))
          return Theorems{"groups of records: Dong, Roth, Su 2019, Theorem 2.14"};
        if (normal_mixture(event, adjacency, Rounding::up, 1e-20))
          return Theorems{
              "groups in Poisson samples: Charles et al. 2024, both directions, by accounting/plan/proofs.md, 3.3; "
              "their losses: accounting/loss_distribution/proofs.md, 4g.1"};
        if (std::holds_alternative<PoissonSampled>(*e.inner))
          return Theorems{
              "groups in Poisson samples: accounting/plan/proofs.md, 4.1; their losses: "
              "accounting/loss_distribution/proofs.md, 4h.1"};
        if (has_grouped_responses(e))
          return Theorems{
              "groups under pure DP: Dong, Roth, Su 2019, Theorem 2.14, by accounting/loss_distribution/proofs.md, "
              "4h.2"};
        return Theorems{"groups of records: accounting/loss_distribution/proofs.md, 4h.1"};
      },
      [](const Selected&) {
        return Theorems{
            "the best of a random number of runs, whatever the score: accounting/loss_distribution/proofs.md, 4i.2"};
      });
}

}  // namespace dpbudget::loss_distribution
