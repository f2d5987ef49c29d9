#include "dpbudget/accounting/loss_distribution/releases/release.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/loss_distribution/releases/approximate_dp.h"
#include "dpbudget/accounting/loss_distribution/releases/blanket.h"
#include "dpbudget/accounting/loss_distribution/releases/dealt_blocks.h"
#include "dpbudget/accounting/loss_distribution/releases/discrete_gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/discrete_laplace.h"
#include "dpbudget/accounting/loss_distribution/releases/drawn_gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/finite.h"
#include "dpbudget/accounting/loss_distribution/releases/gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/grouped_response.h"
#include "dpbudget/accounting/loss_distribution/releases/kept_pieces.h"
#include "dpbudget/accounting/loss_distribution/releases/laplace.h"
#include "dpbudget/accounting/loss_distribution/releases/largest_batch.h"
#include "dpbudget/accounting/loss_distribution/releases/mixed_over.h"
#include "dpbudget/accounting/loss_distribution/releases/normal_mixture.h"
#include "dpbudget/accounting/loss_distribution/releases/poisson_gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"
#include "dpbudget/accounting/loss_distribution/releases/randomly_allocated.h"
#include "dpbudget/accounting/loss_distribution/releases/release_theorems.h"
#include "dpbudget/accounting/loss_distribution/releases/replaced_poisson_gaussian.h"
#include "dpbudget/accounting/loss_distribution/releases/sampled.h"
#include "dpbudget/accounting/loss_distribution/releases/shuffled.h"
#include "dpbudget/accounting/loss_distribution/releases/shuffled_responses.h"
#include "dpbudget/accounting/loss_distribution/releases/shuffled_zeros.h"
#include "dpbudget/accounting/loss_distribution/releases/table.h"
#include "dpbudget/accounting/loss_distribution/releases/truncated.h"
#include "dpbudget/accounting/loss_distribution/releases/without_replacement_gaussian.h"
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

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

constexpr std::string_view own_name = "loss_distribution";

using Law = ShuffledReports::Law;

class Release {
 public:
  Release(Adjacency adjacency, Side side, Pair pair, const Cut& cut)
      : adjacency_(adjacency), pair_(pair), cut_(cut), is_upper_(side == Side::upper) {}

  std::optional<Pieces> pieces(const Event& event) const {
    require_theorem(event, adjacency_, own_name);
    if (const auto noise = gaussian_noise(event, is_upper_ ? Rounding::down : Rounding::up))
      return gaussian_pieces(*noise, cut_);
    using Found = std::optional<Pieces>;
    return match(
        event, [&](const Gaussian& e) -> Found { return gaussian_pieces(e.noise_multiplier.value(), cut_); },
        [&](const Laplace& e) -> Found { return laplace_pieces(e.scale.value(), cut_); },
        [&](const DiscreteGaussian& e) -> Found { return discrete_gaussian_pieces(e.noise_multiplier.value(), cut_); },
        [&](const DiscreteLaplace& e) -> Found { return discrete_laplace_pieces(e.scale.value()); },
        [&](const RandomizedResponse& e) -> Found {
          return randomized_response_pieces(e.epsilon.value(), e.categories);
        },
        [&](const MixtureOfGaussians&) -> Found {
          const auto mixture = normal_mixture(event, adjacency_, outward(), cut_.tail);
          if (!mixture) refuse(own_name, event, adjacency_, "an offset is too far from the noise for a double");
          return normal_mixture_pieces(*mixture, Against::zero, cut_);
        },
        [&](const PureDp& e) -> Found { return approximate_dp_pieces(e.epsilon.value(), 0); },
        [&](const ApproximateDp& e) -> Found { return approximate_dp_pieces(e.epsilon.value(), e.delta.value()); },
        [&](const ConcentratedDp&) -> Found { refuse_without_pair(own_name, event, adjacency_); },
        [&](const TruncatedConcentratedDp&) -> Found { refuse_without_pair(own_name, event, adjacency_); },
        [&](const RenyiDp&) -> Found { refuse_without_pair(own_name, event, adjacency_); },
        [&](const PrivacyProfile& e) -> Found { return table_pieces(e.points); },
        [&](const GaussianDp&) -> Found {
          refuse(own_name, event, adjacency_, "the square of its mu is beyond a double");
        },
        [&](const BoundedRange& e) -> Found { return bounded_range(e.epsilon.value()); },
        [&](const FrequencyOracle auto& e) -> Found { return told_response_pieces(told_response(e)); },
        [&](const PoissonSampled& e) -> Found {
          if (adjacency_ == Adjacency::replace_one) return replaced_in_poisson_sample(1, e);
          return poisson(rate(e.rate), *e.inner);
        },
        [&](const SampledWithoutReplacement& e) -> Found { return fixed_size(rate(e.rate), *e.inner); },
        [&](const SampledWithReplacement& e) -> Found { return with_replacement(e); },
        [&](const TruncatedPoisson& e) -> Found { return truncated(e); },
        [&](const Participates& e) -> Found {
          if (!has_finite_losses(*e.inner)) return std::nullopt;
          const Found inside = pieces(*e.inner);
          if (!inside) return std::nullopt;
          return participating(*inside, rate(e.rate));
        },
        [&](const Repeated&) -> Found { return composed(event); },
        [&](const Composed&) -> Found { return composed(event); },
        [&](const Shuffled& e) -> Found { return shuffled(e); },
        [&](const RandomlyAllocated& e) -> Found { return e.steps.times > 1 ? dealt_several_times(e) : allocated(e); },
        [&](const ShuffledBatches& e) -> Found { return batches(e); },
        [&](const Grouped& e) -> Found { return grouped(e, event); },
        [](const Selected&) -> Found { return std::nullopt; });
  }

 private:
  Release with(Pair pair) const {
    Release other = *this;
    other.pair_ = pair;
    return other;
  }
  Release with_tail(double tail) const {
    Release result = *this;
    result.cut_.tail = tail;
    return result;
  }

  // accounting/loss_distribution/proofs.md, 4d.1
  Pieces bounded_range(double epsilon) const {
    return pair_ == Pair::dominating ? approximate_dp_pieces(epsilon, 0) : randomized_response_pieces(epsilon / 2, 2);
  }

  std::optional<Pieces> composed(const Event& event) const {
    if (!has_finite_losses(event)) return std::nullopt;
    std::optional<Pieces> all = one_atom();
    for (const dpbudget::Release& release : releases_of(event)) {
      const std::optional<Pieces> once = pieces(release.event);
      if (!once) return std::nullopt;
      const std::optional<Pieces> repeated = power(*once, release.count, cut_.limits);
      if (repeated) all = product(*all, *repeated, cut_.limits);
      if (!repeated || !all) return std::nullopt;
    }
    return all;
  }

  // Of the neighbours that a shuffled randomiser certainly has.
  Pieces attained(const Shuffled& event) const {
    // All others hold what one of the two users does, or a third value, which all of a sample without the record would
    // not do. Of three values reports that tell something hide among fewer.
    const auto responses = shuffle::attained_responses(event);
    const auto reports = static_cast<double>(event.reports.value());
    if (pair_ != Pair::attained_among_equals)
      if (const auto of_three = shuffle::attained_third_value_pair(event)) {
        // Cells need not end where the mesh does from below: meshes that are near each other share them.
        Cut cut = cut_;
        cut.step = std::exp2(std::floor(std::log2(cut.step)));
        return kept_pieces({Law::hidden_pair, event, cut}, [&] { return hidden_pair_pieces(*of_three, cut); });
      }
    const auto of_two = std::ranges::find(responses, 2U, &RandomizedResponse::categories);
    if (of_two == responses.end() || of_two->epsilon == 0) return one_atom();
    return shuffled_zeros_pieces(of_two->epsilon.value(), reports, cut_);
  }

  // Of reports that are not epsilon-DP: accounting/shuffle/proofs.md, 2c.1 and 2c.2.
  std::optional<Pieces> reports(const Shuffled& event) const {
    if (pair_ == Pair::dominating) return pieces(*event.inner);
    return with(Pair::attained).dealt_among_equals({event.reports.value(), event.inner});
  }

  std::optional<Pieces> shuffled(const Shuffled& event) const {
    if (!shuffle::has_pure_reports(event)) return reports(event);
    const double local_epsilon = shuffle::randomizer_epsilon(*event.inner);
    if (local_epsilon == 0) return one_atom();
    if (shuffle::hides_nothing(local_epsilon))
      return pair_ == Pair::dominating ? approximate_dp_pieces(local_epsilon, 0) : one_atom();
    if (pair_ != Pair::dominating) return attained(event);
    const auto reports = static_cast<double>(event.reports.value());
    if (shuffle::is_binary_response(event) && has_shuffled_response_pieces(local_epsilon, reports, cut_.tail))
      return kept_pieces({Law::responses, event, {1, cut_.tail}},
                         [&] { return shuffled_response_pieces(local_epsilon, reports, cut_.tail); });
    if (const auto blanket = shuffle::blanket_of(event)) {
      try {
        return kept_pieces({Law::blanket, event, cut_},
                           [&] { return blanket_pieces(*blanket, event.reports.value(), cut_); });
      } catch (const Unsupported&) {  // no epsilon at so rare a tail: clones have one
      }
    }
    return kept_pieces({is_upper_ ? Law::upper_clones : Law::lower_clones, event, cut_}, [&] {
      return clone_pieces(shuffle::clone_pair(event), is_upper_ ? Side::upper : Side::lower, cut_);
    });
  }

  // accounting/loss_distribution/proofs.md, 4c.6: from above it is a composition, whose losses have a grid.
  std::optional<Pieces> dealt_several_times(const RandomlyAllocated& event) const {
    if (pair_ == Pair::dominating) return std::nullopt;
    if (const auto noise = gaussian_noise(*event.inner, Rounding::up))
      if (const auto sum = noise_of_sum(event.steps, *noise)) return gaussian_pieces(*sum, cut_);
    return poisson(share_of_step(event.steps), *event.inner);
  }

  // accounting/loss_distribution/proofs.md, 4j.1
  std::optional<Pieces> batches(const ShuffledBatches& event) const {
    if (pair_ == Pair::dominating) return pieces(*event.inner);
    const auto noise = gaussian_noise(*event.inner, Rounding::up);
    if (noise && pair_ == Pair::attained && adjacency_ == Adjacency::zero_out_one)
      if (auto largest = largest_batch_pieces(*noise, event.steps.value(), cut_)) return largest;
    // Where others are like the record that is replaced, so are the batches that do not hold it.
    return with(Pair::attained_among_equals).dealt_among_equals({event.steps, event.inner});
  }

  std::optional<Pieces> dealt_among_equals(const RandomlyAllocated& event) const {
    try {
      return allocated(event);
    } catch (const Unsupported&) {  // of losses beyond what may be dealt nothing is known from below
      return one_atom();
    }
  }

  std::optional<Pieces> allocated(const RandomlyAllocated& event) const {
    return kept_pieces({event, adjacency_, is_upper_ ? Side::upper : Side::lower, pair_, cut_},
                       [&] { return dealt(event); });
  }

  std::optional<Pieces> dealt(const RandomlyAllocated& event) const {
    Release inside = with(pair_inside_sample(pair_, *event.inner));
    inside.cut_.step = step_inside_allocation(cut_.step, event.steps.value());
    const auto once = inside.pieces(*event.inner);
    if (!once) return std::nullopt;
    return randomly_allocated(*once, event.steps.value(), is_upper_ ? Side::upper : Side::lower, cut_);
  }

  // Of what dominates when it is larger.
  Rounding outward() const { return is_upper_ ? Rounding::up : Rounding::down; }

  // accounting/loss_distribution/proofs.md, 4h.1 and 4h.2
  std::optional<Pieces> grouped(const Grouped& group, const Event& event) const {
    const bool is_replaced = adjacency_ == Adjacency::replace_one;
    if (const auto mixture = normal_mixture(event, adjacency_, outward(), cut_.tail)) {
      if (is_replaced && pair_ == Pair::attained_among_equals) return one_atom();
      return normal_mixture_pieces(*mixture, is_replaced ? Against::mirror : Against::zero, cut_);
    }
    const std::uint64_t records = group.records.value();
    if (const auto* laplace = std::get_if<Laplace>(&*group.inner)) {
      const double scale = laplace->scale.value() / static_cast<double>(records);
      return laplace_pieces(scale * (is_upper_ ? 1 - unit : 1 + unit), cut_);
    }
    if (has_grouped_responses(group) && (pair_ == Pair::dominating || is_attained_by_groups(*group.inner)))
      return grouped_response_pieces(pure_epsilon(*group.inner, adjacency_), records);
    if (const auto sampled = sampled_group(group, outward())) {
      const double any = rate_of_record(sampled->law, is_upper_);
      // A query may tell whether any of the group is in the sample.
      if (pair_ != Pair::dominating) return poisson(any, sampled->inside);
      return mixed_over(sampled->law, cut_.tail, [&](std::uint64_t copies, double tail) {
        return with_tail(tail).pieces(
            PoissonSampled{Rate(any), for_group(group, sampled->inside, copies, adjacency_, own_name)});
      });
    }
    if (pair_ != Pair::dominating) return pieces(*group.inner);
    return pieces(for_group(group, *group.inner, records, adjacency_, own_name));
  }

  double rate(const Rate& rate) const { return rounded_rate(rate, is_upper_ ? Rounding::up : Rounding::down); }

  // Rounded outwards, as rates are, also where it is beyond a double.
  double rate_within(double outer, const Rate& inner) const {
    constexpr double least = std::numeric_limits<double>::min();
    const double rounded = rate(inner);
    const double product = outer * rounded;
    if (outer == 1 || rounded == 0) return product;
    if (is_upper_) return std::clamp(product * (1 + unit), least, 1.0);
    return product < least ? 0 : product * (1 - unit);
  }

  Release inside_sample(const Event& inner) const { return with(pair_inside_sample(pair_, inner)); }

  // The sample holds the record or not, and is then like the second of the neighbours, with or without it. So does a
  // sample of a sample, at the product of the rates: cut inside, its losses would be cut far too finely.
  std::optional<Pieces> poisson(double rate, const Event& inner) const {
    if (rate == 0) return one_atom();
    const auto* deeper = std::get_if<PoissonSampled>(&inner);
    if (deeper != nullptr && adjacency_ != Adjacency::replace_one)
      return poisson(rate_within(rate, deeper->rate), *deeper->inner);
    const auto* fixed = std::get_if<SampledWithoutReplacement>(&inner);
    if (fixed != nullptr && pair_ == Pair::attained_among_equals)
      return poisson(rate_within(rate, fixed->rate), *fixed->inner);
    if (const auto noise = gaussian_noise(inner, is_upper_ ? Rounding::down : Rounding::up))
      return kept_pieces({SampledGaussian::Sampling::poisson, rate, *noise, cut_},
                         [&] { return poisson_gaussian_pieces(rate, *noise, cut_); });
    if (const auto* laplace = std::get_if<Laplace>(&inner))
      return poisson_laplace_pieces(rate, laplace->scale.value(), cut_);
    auto inside = inside_sample(inner).pieces(inner);
    if (!inside) return std::nullopt;
    return poisson_sampled(std::move(*inside), rate, cut_.tail);
  }

  // A sample of a sample is a sample at the product of the rates. The pair grows with the rate:
  // accounting/loss_distribution/proofs.md, 4e.2.
  Pieces replaced_in_poisson_sample(double outer, const PoissonSampled& event) const {
    // The others' sum tells nothing only where they hold nothing.
    if (pair_ == Pair::attained_among_equals) return one_atom();
    const double sampled = rate_within(outer, event.rate);
    if (sampled == 0) return one_atom();
    if (const auto* deeper = std::get_if<PoissonSampled>(&*event.inner))
      return replaced_in_poisson_sample(sampled, *deeper);
    const auto noise = gaussian_noise(*event.inner, is_upper_ ? Rounding::down : Rounding::up);
    if (!noise) refuse(own_name, event, adjacency_, "the noise of its Gaussians together is beyond a double");
    return replaced_poisson_gaussian_pieces(sampled, *noise, cut_);
  }

  std::optional<Pieces> fixed_size(double rate, const Event& inner) const {
    if (rate == 0) return one_atom();
    if (rate == 1) return pieces(inner);
    // Where all other records are the second neighbour's, so is a sample without the record, and the mixture attained.
    if (pair_ != Pair::dominating) return with(Pair::attained_among_equals).poisson(rate, inner);
    // accounting/loss_distribution/proofs.md, 4.4
    if (const auto* deeper = std::get_if<SampledWithoutReplacement>(&inner))
      return fixed_size(rate_within(rate, deeper->rate), *deeper->inner);
    if (const auto noise = gaussian_noise(inner, is_upper_ ? Rounding::down : Rounding::up))
      return kept_pieces({SampledGaussian::Sampling::without_replacement, rate, *noise, cut_},
                         [&] { return without_replacement_gaussian_pieces(rate, *noise, cut_); });
    if (const auto* laplace = std::get_if<Laplace>(&inner))
      return without_replacement_laplace_pieces(rate, laplace->scale.value(), cut_);
    const auto inside = inside_sample(inner).pieces(inner);
    if (!inside) return inside;
    return without_replacement(*inside, rate, cut_.tail);
  }

  // accounting/loss_distribution/proofs.md, 4f.1 and 4f.2
  // accounting/plan/proofs.md, 2.4
  std::optional<Pieces> with_replacement(const SampledWithReplacement& event) const {
    if (pair_ != Pair::dominating) return drawn_among_equals(event);
    const double rate = rate_of_record(event.draws, true);
    return mixed_over(event.draws, cut_.tail, [&](std::uint64_t copies, double tail) {
      return with_tail(tail).drawn_so_often(event, copies, rate);
    });
  }

  // accounting/plan/proofs.md, 5.1 and 5.3; accounting/loss_distribution/proofs.md, 4f.1
  std::optional<Pieces> truncated(const TruncatedPoisson& event) const {
    if (pair_ != Pair::dominating)
      return poisson(rate_of_record(event, is_upper_ ? Rounding::up : Rounding::down), *event.inner);
    return truncated_pieces(
        truncated_sample(event), [&](double rate) { return poisson(rate, *event.inner); },
        [&](double rate) { return poisson(rate, for_replaced(event, adjacency_, own_name)); });
  }

  std::optional<Pieces> drawn_so_often(const SampledWithReplacement& event, std::uint64_t copies, double rate) const {
    const Event inner = for_copies(event, copies, adjacency_, own_name);
    if (const auto noise = gaussian_noise(inner, is_upper_ ? Rounding::down : Rounding::up))
      return without_replacement_gaussian_pieces(rate, *noise, cut_);
    const auto inside = pieces(inner);
    if (!inside) return inside;
    return without_replacement(*inside, rate, cut_.tail);
  }

  // All other records are the second neighbour's. Where sums are released every draw of the record counts; of other
  // releases a query may count it once, however often it is drawn.
  std::optional<Pieces> drawn_among_equals(const SampledWithReplacement& event) const {
    if (const auto noise = gaussian_noise(*event.inner, is_upper_ ? Rounding::down : Rounding::up))
      if (auto losses = drawn_gaussian_pieces(event.draws, *noise, cut_)) return losses;
    return with(Pair::attained_among_equals).poisson(rate_of_record(event.draws, is_upper_), *event.inner);
  }

  Adjacency adjacency_;
  Pair pair_;
  Cut cut_;
  bool is_upper_;
};

}  // namespace

Pair pair_inside_sample(Pair pair, const Event& inner) {
  if (pair == Pair::attained && std::holds_alternative<ShuffledBatches>(inner)) return Pair::attained_among_equals;
  each_child(inner, [&](const Event& child) { pair = pair_inside_sample(pair, child); });
  return pair;
}

std::optional<Pieces> release_pieces(const Event& event, Adjacency adjacency, Side side, Pair pair, const Cut& cut) {
  return Release(adjacency, side, pair, cut).pieces(event);
}

bool has_finite_losses(const Event& event) {
  const auto inside = [](const auto& node) { return has_finite_losses(*node.inner); };
  return match(
      event, [](const Gaussian&) { return false; }, [](const Laplace&) { return false; },
      [](const DiscreteGaussian&) { return false; }, [](const DiscreteLaplace&) { return true; },
      [](const RandomizedResponse&) { return true; }, [](const MixtureOfGaussians&) { return false; },
      [](const PureDp&) { return true; }, [](const ApproximateDp&) { return true; },
      [](const ConcentratedDp&) { return false; }, [](const TruncatedConcentratedDp&) { return false; },
      [](const RenyiDp&) { return false; }, [](const PrivacyProfile&) { return true; },
      [](const GaussianDp&) { return false; }, [](const BoundedRange&) { return true; },
      [](const FrequencyOracle auto&) { return true; }, [&](const PoissonSampled& e) { return inside(e); },
      [&](const SampledWithoutReplacement& e) { return inside(e); },
      [](const SampledWithReplacement&) { return false; }, [](const TruncatedPoisson&) { return false; },
      [&](const Participates& e) { return inside(e); }, [&](const Repeated& e) { return inside(e); },
      [](const Composed& e) { return std::ranges::all_of(e.parts, has_finite_losses); },
      [](const Shuffled&) { return false; }, [](const RandomlyAllocated&) { return false; },
      [](const ShuffledBatches&) { return false; }, [](const Grouped& e) { return has_grouped_responses(e); },
      [](const Selected&) { return false; });
}

bool has_few_losses(const Event& event) {
  constexpr double most_noise = 100;
  if (const auto* noise = std::get_if<DiscreteGaussian>(&event)) return noise->noise_multiplier.value() <= most_noise;
  if (const auto* sample = std::get_if<PoissonSampled>(&event)) return has_few_losses(*sample->inner);
  if (const auto* sample = std::get_if<SampledWithoutReplacement>(&event)) return has_few_losses(*sample->inner);
  return has_finite_losses(event);
}

}  // namespace dpbudget::loss_distribution
