#include "dpbudget/accounting/approximate/curve_of.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/approximate/composed_curve.h"
#include "dpbudget/accounting/approximate/drawn_curve.h"
#include "dpbudget/accounting/approximate/either_curve.h"
#include "dpbudget/accounting/approximate/grouped_curve.h"
#include "dpbudget/accounting/approximate/leaves.h"
#include "dpbudget/accounting/approximate/sampled_curve.h"
#include "dpbudget/accounting/approximate/shuffled_curve.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/normal_mixture.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/plan/truncated.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::approximate {
namespace {

constexpr std::string_view optimal_composition = "optimal composition: Kairouz, Oh, Viswanath 2015, Theorem 3.3";

constexpr std::string_view of_moments =
    "what Rényi divergences say of (epsilon, delta) does not compose; use renyi or concentrated";

class Builder : public PlanReader {
 public:
  explicit Builder(Adjacency adjacency) : PlanReader("approximate", adjacency) {}

  CurvePtr curve(const Event& event) {
    if (const auto noise = gaussian_noise(event, Rounding::down)) {
      cite("Gaussian: Balle, Wang 2018, Theorem 8");
      if (std::holds_alternative<GaussianDp>(event))
        cite("Gaussian DP: Dong, Roth, Su 2019, Corollary 2.13");
      else if (!std::holds_alternative<Gaussian>(event))
        cite("Gaussians together: Dong, Roth, Su 2019, Corollary 3.3");
      return gaussian_curve(*noise);
    }
    return match(
        event,
        [&](const Gaussian& e) {
          cite("Gaussian: Balle, Wang 2018, Theorem 8");
          return gaussian_curve(e.noise_multiplier.value());
        },
        [&](const Laplace& e) {
          cite("Laplace: Dong, Roth, Su 2019, Proposition A.6");
          return laplace_curve(e.scale.value());
        },
        [&](const DiscreteGaussian& e) {
          cite("discrete Gaussian: Canonne, Kamath, Steinke 2020, Theorem 7");
          return discrete_gaussian_curve(e.noise_multiplier.value());
        },
        [&](const DiscreteLaplace& e) {
          // Its loss is 1/scale at and above the larger integer, and -1/scale below it.
          cite("discrete Laplace, randomised response of epsilon 1/scale: by definition");
          return randomized_response_curve(numeric::raised(1 / e.scale.value(), numeric::unit), 2);
        },
        [&](const RandomizedResponse& e) {
          cite("randomised response: by definition");
          return randomized_response_curve(e.epsilon.value(), e.categories);
        },
        [&](const MixtureOfGaussians&) {
          require_shift_theorem(event, adjacency(), "approximate");
          const auto mixture = normal_mixture(event, adjacency(), Rounding::up, 0);
          if (!mixture) refuse(event, "an offset is too far from the noise for a double");
          cite("mixture of Gaussians, both directions: accounting/plan/proofs.md, 3.1");
          return normal_mixture_curve(*mixture);
        },
        [&](const PureDp& e) {
          cite("pure DP: Kairouz, Oh, Viswanath 2015, Theorem 3.2");
          return approximate_dp_curve(e.epsilon.value(), 0);
        },
        [&](const ApproximateDp& e) {
          cite("(epsilon, delta)-DP: Kairouz, Oh, Viswanath 2015, Theorem 3.2");
          return approximate_dp_curve(e.epsilon.value(), e.delta.value());
        },
        [&](const ConcentratedDp&) -> CurvePtr { refuse(event, of_moments); },
        [&](const TruncatedConcentratedDp&) -> CurvePtr { refuse(event, of_moments); },
        [&](const RenyiDp&) -> CurvePtr { refuse(event, of_moments); },
        [&](const PrivacyProfile& e) {
          cite("a table of (epsilon, delta) guarantees, its largest profile: accounting/profile/proofs.md, 1.1");
          return table_curve(e.points);
        },
        [&](const GaussianDp&) -> CurvePtr { refuse(event, "the square of its mu is beyond a double"); },
        [&](const BoundedRange& e) {
          cite("bounded range is pure DP: Kairouz, Oh, Viswanath 2015, Theorem 3.2");
          return approximate_dp_curve(e.epsilon.value(), 0);
        },
        [&](const FrequencyOracle auto& e) {
          cite(told_response_theorem(e));
          const ToldResponse response = told_response(e);
          return participating_curve(std::min(1.0, response.told * (1 + told_error)),
                                     randomized_response_curve(response.epsilon, 2));
        },
        [&](const PoissonSampled& e) {
          if (adjacency() == Adjacency::replace_one)
            refuse(event,
                   "Poisson sampling is analysed under add_or_remove_one or zero_out_one; under replace_one use wor");
          CurvePtr inner = curve(*e.inner);
          cite("Poisson sampling: Balle, Barthe, Gaboardi 2018, Theorem 8");
          return sampled_curve(rounded_rate(e.rate, Rounding::up), std::move(inner));
        },
        [&](const SampledWithoutReplacement& e) {
          if (adjacency() != Adjacency::replace_one)
            refuse(event, "sampling without replacement is analysed under replace_one; else use poisson");
          CurvePtr inner = curve(*e.inner);
          cite("sampling without replacement: Balle, Barthe, Gaboardi 2018, Theorem 9");
          return sampled_curve(rounded_rate(e.rate, Rounding::up), std::move(inner));
        },
        [&](const SampledWithReplacement& e) { return with_replacement(e); },
        [&](const TruncatedPoisson& e) { return truncated(e); },
        [&](const Participates& e) {
          CurvePtr inner = curve(*e.inner);
          cite("participation seen by the adversary: accounting/renyi/proofs.md, 6.1");
          return participating_curve(rounded_rate(e.rate, Rounding::up), std::move(inner));
        },
        [&](const Repeated& e) {
          CurvePtr inner = curve(*e.inner);
          cite_optimal();
          return repeated_curve(static_cast<double>(e.count.value()), std::move(inner));
        },
        [&](const Composed&) {
          std::vector<Part> parts;
          for (const Release& release : releases_of(event))
            parts.push_back({static_cast<double>(release.count), curve(release.event)});
          if (parts.size() > 1)
            cite(
                "composition of different releases, the least of the sum, Kairouz, Oh, Viswanath 2015, Theorem 3.5, "
                "and "
                "Murtagh, Vadhan 2016, equation (1)");
          if (!parts.empty()) cite_optimal();
          return composed_curve(std::move(parts));
        },
        [&](const Shuffled& e) { return shuffled(e); },
        [&](const RandomlyAllocated& e) {
          if (adjacency() == Adjacency::replace_one)
            refuse(event, "random allocation is analysed under add_or_remove_one or zero_out_one");
          CurvePtr inner = curve(*e.inner);
          cite("random allocation costs no more than its releases: accounting/approximate/proofs.md, 5.1");
          if (e.steps.times == 1) return inner;
          cite_optimal();
          return repeated_curve(static_cast<double>(e.steps.times), std::move(inner));
        },
        [&](const ShuffledBatches& e) {
          require_batches_theorem(event, adjacency(), "approximate");
          CurvePtr inner = curve(*e.inner);
          cite("shuffled batches cost no more than their release: accounting/renyi/proofs.md, 7.3");
          return inner;
        },
        [&](const Grouped& e) { return grouped(e, event); },
        [&](const Selected&) -> CurvePtr {
          const double epsilon = pure_epsilon(event, adjacency());
          if (!std::isfinite(epsilon))
            refuse(event, "of selection it knows runs that are epsilon-DP; use loss_distribution or renyi");
          cite("the best of a random number of epsilon-DP runs: accounting/plan/proofs.md, 6.1");
          return approximate_dp_curve(epsilon, 0);
        });
  }

 private:
  CurvePtr shuffled(const Shuffled& e) {
    if (adjacency() != Adjacency::replace_one)
      refuse(e, "shuffling is analysed under replace_one, where the number of reports is public");
    const auto* guarantee = std::get_if<ApproximateDp>(&*e.inner);
    const double local_epsilon =
        guarantee != nullptr ? guarantee->epsilon.value() : shuffle::randomizer_epsilon(*e.inner);
    if (!std::isfinite(local_epsilon)) {
      CurvePtr once = curve(*e.inner);
      cite(shuffle::reports_theorem);
      return once;
    }
    if (e.records > 1) {
      const double local_delta = guarantee != nullptr ? guarantee->delta.value() : 0;
      cite(local_delta == 0 || shuffle::hides_nothing(local_epsilon)
               ? shuffle::clone_theorem(e)
               : "silos whose reports are (epsilon, delta)-DP: accounting/shuffle/proofs.md, 2b.1");
      return shuffled_silos_curve(local_epsilon, local_delta, static_cast<double>(e.records),
                                  static_cast<double>(e.reports.value()));
    }
    cite(shuffle::hides_nothing(local_epsilon)
             ? shuffle::clone_theorem(e)
             : "shuffling: Feldman, McMillan, Talwar 2021, Theorems 3.2 and 3.8, summed exactly");
    return shuffled_curve(local_epsilon, guarantee != nullptr ? guarantee->delta.value() : 0,
                          static_cast<double>(e.reports.value()));
  }

  CurvePtr with_replacement(const SampledWithReplacement& event) {
    require_replacement_theorem(event, adjacency(), "approximate");
    static_cast<void>(curve(for_copies(event, 2, adjacency(), "approximate")));  // refuses what has no curve
    cite("batches drawn with replacement: Balle, Barthe, Gaboardi 2018, Theorem 10");
    return drawn_curve(event.draws, [event, adjacency = adjacency()](std::uint64_t copies) {
      return Builder(adjacency).curve(for_copies(event, copies, adjacency, "approximate"));
    });
  }

  CurvePtr truncated(const TruncatedPoisson& e) {
    require_truncation_theorem(e, adjacency(), "approximate");
    const TruncatedSample sample = truncated_sample(e);
    CurvePtr unfilled = sampled_curve(sample.rate, curve(*e.inner));
    CurvePtr filled = sampled_curve(sample.rate_filled, curve(for_replaced(e, adjacency(), "approximate")));
    cite("Poisson sampling of batches of limited size: accounting/plan/proofs.md, 5.2");
    return either_curve(std::move(unfilled), std::move(filled), std::min(1.0, sample.filled));
  }

  CurvePtr grouped(const Grouped& group, const Event& event) {
    if (adjacency() != Adjacency::replace_one) {
      if (const auto mixture = normal_mixture(event, adjacency(), Rounding::up, 0)) {
        cite("groups in Poisson samples: Charles et al. 2024, both directions, by accounting/plan/proofs.md, 3.3");
        return normal_mixture_curve(*mixture);
      }
    }
    if (const auto together = for_copies(*group.inner, group.records.value());
        together && !is_known_by_moments(*together)) {
      cite("groups of records: accounting/plan/proofs.md, 1.2");
      return curve(*together);
    }
    CurvePtr inner = curve(*group.inner);
    cite("groups of records: Vadhan 2017, Lemma 2.2");
    return grouped_curve(static_cast<double>(group.records.value()), std::move(inner));
  }

  void cite_optimal() { cite(std::string(optimal_composition)); }
};

}  // namespace

PlanCurve repeated(std::uint64_t count, const PlanCurve& once) {
  if (count == 1) return once;
  PlanCurve all{repeated_curve(static_cast<double>(count), once.curve), once.theorems};
  if (count > 1 && std::ranges::find(all.theorems, optimal_composition) == all.theorems.end())
    all.theorems.emplace_back(optimal_composition);
  return all;
}

PlanCurve curve_of(const NormalPlan& plan) {
  Builder builder(plan.adjacency());
  CurvePtr curve = builder.curve(plan.event());
  return {std::move(curve), builder.take_theorems()};
}

}  // namespace dpbudget::approximate
