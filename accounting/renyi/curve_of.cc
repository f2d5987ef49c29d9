#include "dpbudget/accounting/renyi/curve_of.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/copies.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/normal_mixture.h"
#include "dpbudget/accounting/plan/pure.h"
#include "dpbudget/accounting/plan/theorems.h"
#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/plan/truncated.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/renyi/composition.h"
#include "dpbudget/accounting/renyi/gaussian.h"
#include "dpbudget/accounting/renyi/laplace.h"
#include "dpbudget/accounting/renyi/mixed_curve.h"
#include "dpbudget/accounting/renyi/normal_mixture.h"
#include "dpbudget/accounting/renyi/poisson.h"
#include "dpbudget/accounting/renyi/poisson_gaussian.h"
#include "dpbudget/accounting/renyi/pure.h"
#include "dpbudget/accounting/renyi/selected.h"
#include "dpbudget/accounting/renyi/shuffled.h"
#include "dpbudget/accounting/renyi/table.h"
#include "dpbudget/accounting/renyi/with_replacement.h"
#include "dpbudget/accounting/renyi/without_replacement.h"
#include "dpbudget/accounting/renyi/without_replacement_gaussian.h"
#include "dpbudget/accounting/shuffle/local.h"

namespace dpbudget::renyi {

using numeric::raised;
using numeric::unit;
namespace {

constexpr std::string_view too_many_shifts =
    "of more than 64 shifts, or of one beyond 64 standard deviations of the noise, use loss_distribution";

class Builder : public PlanReader {
 public:
  explicit Builder(Adjacency adjacency) : PlanReader("renyi", adjacency) {}

  CurvePtr curve(const Event& event) {
    return match(
        event, [&](const Gaussian& e) { return gaussian_leaf(e.noise_multiplier.value()); },
        [&](const Laplace& e) {
          cite("Laplace: Mironov 2017, Table II");
          return laplace_curve(e.scale.value());
        },
        [&](const DiscreteGaussian& e) {
          cite("discrete Gaussian: Canonne, Kamath, Steinke 2020, Theorem 4");
          const double noise = e.noise_multiplier.value();
          return gaussian_curve(raised(1 / noise / noise, 2 * unit));
        },
        [&](const DiscreteLaplace& e) {
          cite("discrete Laplace, randomised response of epsilon 1/scale: Mironov 2017, Proposition 5");
          return pure_curve(response_epsilon(e));
        },
        [&](const RandomizedResponse& e) {
          cite("randomised response: Mironov 2017, Proposition 5");
          return told_response_curve(told_response(e));
        },
        [&](const MixtureOfGaussians&) {
          require_shift_theorem(event, adjacency(), "renyi");
          const auto mixture = normal_mixture(event, adjacency(), Rounding::up, 0);
          if (!mixture || !has_few_shifts(*mixture)) refuse(event, too_many_shifts);
          cite("mixture of Gaussians, both directions: accounting/renyi/proofs.md, 9.1");
          return normal_mixture_curve(*mixture);
        },
        [&](const PureDp& e) {
          cite("pure DP: Bun, Steinke 2016, Lemma B.1");
          return pure_curve(e.epsilon.value());
        },
        [&](const ApproximateDp&) -> CurvePtr {
          refuse(event, "an (epsilon, delta) guarantee bounds no Rényi divergence; give the mechanism itself, or pure");
        },
        [&](const ConcentratedDp& e) {
          cite("zCDP: by definition, Bun, Steinke 2016");
          return gaussian_curve(2 * e.rho.value());
        },
        [&](const TruncatedConcentratedDp& e) {
          cite("tCDP: by definition, Bun, Dwork, Rothblum, Steinke 2018");
          return truncated_curve(e.rho.value(), e.omega.value());
        },
        [&](const RenyiDp& e) {
          cite("a table of Rényi divergences, chords between its orders: accounting/renyi/proofs.md, 10.1");
          return table_curve(e.divergences);
        },
        [&](const PrivacyProfile&) {
          const double epsilon = pure_epsilon(event, adjacency());
          if (!std::isfinite(epsilon))
            refuse(event, "guarantees that all have a delta bound no Rényi divergence; use loss_distribution");
          cite("pure DP: Bun, Steinke 2016, Lemma B.1");
          return pure_curve(epsilon);
        },
        [&](const GaussianDp& e) {
          cite("Gaussian DP: Dong, Roth, Su 2019, Corollary B.6");
          return gaussian_curve(raised(e.mu.value() * e.mu.value(), unit));
        },
        [&](const BoundedRange& e) {
          cite("bounded range: Cesar, Rogers 2021, by accounting/renyi/proofs.md, 8.1");
          return bounded_range_curve(e.epsilon.value());
        },
        [&](const FrequencyOracle auto& e) {
          cite(told_response_theorem(e));
          return told_response_curve(told_response(e));
        },
        [&](const PoissonSampled& e) { return poisson(e, event); },
        [&](const SampledWithoutReplacement& e) { return without_replacement(e, event); },
        [&](const SampledWithReplacement& e) { return with_replacement(e, event); },
        [&](const TruncatedPoisson& e) { return truncated(e); },
        [&](const Participates& e) {
          const CurvePtr inner = curve(*e.inner);
          cite("participation seen by the adversary: accounting/renyi/proofs.md, 6.1");
          return participating_curve(rounded_rate(e.rate, Rounding::up), inner);
        },
        [&](const Repeated& e) {
          const CurvePtr inner = curve(*e.inner);
          cite_composition();
          return composed_curve({{static_cast<double>(e.count.value()), inner}});
        },
        [&](const Composed& e) { return composed(e); }, [&](const Shuffled& e) { return shuffled(e, event); },
        [&](const RandomlyAllocated& e) { return allocated(e, event); },
        [&](const ShuffledBatches& e) {
          require_batches_theorem(event, adjacency(), "renyi");
          CurvePtr inner = curve(*e.inner);
          cite("shuffled batches cost no more than their release: accounting/renyi/proofs.md, 7.3");
          return inner;
        },
        [&](const Grouped& e) { return grouped(e, event); }, [&](const Selected& e) { return selected(e); });
  }

 private:
  void cite_composition() { cite("composition: Mironov 2017, Proposition 1"); }

  CurvePtr gaussian_leaf(double noise) {
    cite("Gaussian: Mironov 2017, Corollary 3");
    return gaussian_curve(raised(1 / noise / noise, 2 * unit));
  }

  CurvePtr composed(const Composed& e) {
    std::vector<Weighted> parts;
    for (const Event& part : e.parts) parts.push_back({1, curve(part)});
    if (!parts.empty()) cite_composition();
    return composed_curve(std::move(parts));
  }

  CurvePtr poisson(const PoissonSampled& sampled, const Event& event) {
    if (adjacency() == Adjacency::replace_one)
      refuse(event, "Poisson sampling is analysed under add_or_remove_one or zero_out_one; under replace_one use wor");
    const auto [rate, inside] = merged(sampled);
    if (const auto noise = gaussian_noise(inside, Rounding::down)) {
      cite("Poisson-subsampled Gaussian: Mironov, Talwar, Zhang 2019, section 3.3");
      return poisson_gaussian_curve(rate, *noise);
    }
    if (const auto response = as_response(inside)) {
      cite("Poisson-subsampled randomised response, exact: Zhu, Dong, Wang 2022, Theorem 11");
      return poisson_told_response_curve(rate, *response);
    }
    const CurvePtr inner = curve(inside);
    if (std::holds_alternative<Laplace>(inside)) {
      cite("Poisson sampling: Zhu, Wang 2019, Theorem 6");
      return poisson_curve(rate, inner, OddMoments::nonnegative);
    }
    cite("Poisson sampling: Zhu, Wang 2019, Theorem 5");
    return poisson_curve(rate, inner, OddMoments::unknown);
  }

  CurvePtr without_replacement(const SampledWithoutReplacement& sampled, const Event& event) {
    if (adjacency() != Adjacency::replace_one)
      refuse(event, "sampling without replacement is analysed under replace_one; else use poisson");
    const auto [rate, inside] = merged(sampled);
    constexpr std::string_view tight = "sampling without replacement: Dong, Roth, Su 2019, Theorem 4.2";
    if (const auto noise = gaussian_noise(inside, Rounding::down)) {
      cite("Gaussian: Dong, Roth, Su 2019, Theorem 2.7");
      cite(std::string(tight));
      return without_replacement_gaussian_curve(rate, *noise);
    }
    if (const auto response = as_response(inside)) {
      cite("randomised response: Kairouz, Oh, Viswanath 2015");
      cite(std::string(tight));
      return without_replacement_told_response_curve(rate, *response);
    }
    const CurvePtr inner = curve(inside);
    cite("sampling without replacement: Wang, Balle, Kasiviswanathan 2019, Theorem 9");
    return without_replacement_curve(rate, inner);
  }

  CurvePtr with_replacement(const SampledWithReplacement& sampled, const Event& event) {
    require_replacement_theorem(sampled, adjacency(), "renyi");
    if (sampled.draws.number.value() > most_draws)
      refuse(event, "with more than 4096 draws the rarest batches decide its Rényi divergence; use loss_distribution");
    const CurvePtr mixed = with_replacement_curve(
        sampled.draws,
        {.known = [&](std::uint64_t copies) { return curve(for_copies(sampled, copies, adjacency(), "renyi")); },
         .sampled =
             [&](std::uint64_t copies, double rate) {
               const SampledWithoutReplacement once{Rate(rate), for_copies(sampled, copies, adjacency(), "renyi")};
               return without_replacement(once, once);
             }});
    cite("batches drawn with replacement: accounting/plan/proofs.md, 2.2");
    return mixed;
  }

  // Each curve is that of both directions.
  CurvePtr truncated(const TruncatedPoisson& e) {
    require_truncation_theorem(e, adjacency(), "renyi");
    const TruncatedSample sample = truncated_sample(e);
    const PoissonSampled unfilled{Rate(sample.rate), e.inner};
    std::vector<MixedTerm> terms{{log_up(sample.unfilled), poisson(unfilled, unfilled)}};
    if (sample.rate_filled > 0) {
      const PoissonSampled filled{Rate(sample.rate_filled), for_replaced(e, adjacency(), "renyi")};
      terms.push_back({log_up(sample.filled), poisson(filled, filled)});
    }
    cite("Poisson sampling of batches of limited size: accounting/plan/proofs.md, 5.2");
    return mixed_curve(std::move(terms));
  }

  static double log_up(double probability) {
    const double log = std::log(std::max(probability, std::numeric_limits<double>::min()));
    return std::min(0.0, log + unit * (1 + std::abs(log)));
  }

  CurvePtr grouped(const Grouped& group, const Event& event) {
    if (const auto noise = gaussian_noise(event, Rounding::down)) {
      cite("groups of records: Dong, Roth, Su 2019, Theorem 2.14");
      return gaussian_leaf(*noise);
    }
    const auto sampled = sampled_group(group, Rounding::up);
    if (!sampled) {
      const Event together = for_group(group, *group.inner, group.records.value(), adjacency(), "renyi");
      cite("groups of records: accounting/plan/proofs.md, 1.2");
      return curve(together);
    }
    if (adjacency() == Adjacency::replace_one)
      refuse(event, "Poisson sampling is analysed under add_or_remove_one or zero_out_one");
    if (const auto mixture = normal_mixture(event, adjacency(), Rounding::up, 0)) {
      if (!has_few_shifts(*mixture)) refuse(event, too_many_shifts);
      cite("groups in Poisson samples: Charles et al. 2024, both directions, by accounting/renyi/proofs.md, 9.1");
      return normal_mixture_curve(*mixture);
    }
    if (group.records.value() > most_draws)
      refuse(event, "of more than 4096 records the rarest samples decide its Rényi divergence; use loss_distribution");
    const auto inside = [&](std::uint64_t copies) {
      return for_group(group, sampled->inside, copies, adjacency(), "renyi");
    };
    const CurvePtr mixed =
        with_replacement_curve(sampled->law, {.known = [&](std::uint64_t copies) { return curve(inside(copies)); },
                                              .sampled =
                                                  [&](std::uint64_t copies, double rate) {
                                                    const PoissonSampled once{Rate(rate), inside(copies)};
                                                    return poisson(once, once);
                                                  }});
    cite("groups in Poisson samples: accounting/plan/proofs.md, 4.1");
    return mixed;
  }

  CurvePtr shuffled(const Shuffled& shuffled, const Event& event) {
    if (adjacency() != Adjacency::replace_one)
      refuse(event, "shuffling is analysed under replace_one, where the number of reports is public");
    if (!shuffle::has_pure_reports(shuffled)) {
      CurvePtr once = curve(*shuffled.inner);
      cite(shuffle::reports_theorem);
      return once;
    }
    const double local_epsilon = shuffle::randomizer_epsilon(*shuffled.inner);
    cite(shuffle::clone_theorem(shuffled));
    const bool is_bare = local_epsilon == 0 || shuffle::hides_nothing(local_epsilon);
    return is_bare ? pure_curve(local_epsilon) : shuffle::renyi_curve(shuffle::clone_pair(shuffled));
  }

  CurvePtr selected(const Selected& e) {
    CurvePtr once = curve(*e.inner);
    if (std::holds_alternative<Trials::NegativeBinomial>(e.trials.law)) {
      cite("the best of a random number of runs: Papernot, Steinke 2022, Theorem 2");
      return selected_curve(e.trials, std::move(once), {});
    }
    cite("the best of a random number of runs: Papernot, Steinke 2022, Theorem 6; accounting/renyi/proofs.md, 11.1");
    DeltaOf delta;
    const double epsilon = once->at_infinity();
    if (const auto noise = gaussian_noise(*e.inner, Rounding::down)) {
      delta = [noise = *noise](double x) {
        return std::exp(std::min(0.0, profile::gaussian_log_delta_bound(noise, x).upper)) * (1 + unit);
      };
    } else if (std::isfinite(epsilon)) {
      delta = [epsilon](double x) {
        return x >= epsilon ? 0.0 : raised(-std::expm1(x - epsilon) / (1 + std::exp(-epsilon)), 8 * unit);
      };
    }
    return selected_curve(e.trials, std::move(once), std::move(delta));
  }

  CurvePtr allocated(const RandomlyAllocated& allocated, const Event& event) {
    if (adjacency() == Adjacency::replace_one)
      refuse(event, "random allocation is analysed under add_or_remove_one or zero_out_one");
    const CurvePtr inner = curve(*allocated.inner);
    cite("random allocation costs no more than its releases: accounting/renyi/proofs.md, 7.1 and 7.2");
    if (allocated.steps.times == 1) return inner;
    return composed_curve({{static_cast<double>(allocated.steps.times), inner}});
  }

  // A sample of a sample, drawn in the same way, is a sample at the product of the rates: rounded up, where the normal
  // form has left it because no rate is the product.
  template <class Sampled>
  static std::pair<double, const Event&> merged(const Sampled& sampled) {
    double rate = rounded_rate(sampled.rate, Rounding::up);
    const Event* inside = &*sampled.inner;
    while (const auto* deeper = std::get_if<Sampled>(inside)) {
      rate = std::min(1.0, raised(rate * rounded_rate(deeper->rate, Rounding::up), unit));
      inside = &*deeper->inner;
    }
    return {rate, *inside};
  }

  // The loss of discrete Laplace noise is 1/scale at and above the larger integer, and -1/scale below it.
  static double response_epsilon(const DiscreteLaplace& e) { return raised(1 / e.scale.value(), unit); }

  // Every epsilon-DP mechanism is dominated by binary randomised response.
  static std::optional<ToldResponse> as_response(const Event& event) {
    if (const auto* response = std::get_if<RandomizedResponse>(&event)) return told_response(*response);
    if (const auto* laplace = std::get_if<DiscreteLaplace>(&event))
      return told_response(RandomizedResponse{response_epsilon(*laplace), 2});
    if (const auto* pure_dp = std::get_if<PureDp>(&event))
      return told_response(RandomizedResponse{pure_dp->epsilon, 2});
    return oracle_response(event);
  }
};

}  // namespace

PlanCurve curve_of(const NormalPlan& plan) {
  Builder builder(plan.adjacency());
  CurvePtr curve = builder.curve(plan.event());
  return {std::move(curve), builder.take_theorems()};
}

}  // namespace dpbudget::renyi
