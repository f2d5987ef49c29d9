#include "dpbudget/accounting/contour/plan_transforms.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/contour/composition.h"
#include "dpbudget/accounting/contour/gaussian_samples.h"
#include "dpbudget/accounting/loss_distribution/outline.h"
#include "dpbudget/accounting/loss_distribution/plan_losses.h"
#include "dpbudget/accounting/loss_distribution/releases/release.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/releases.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::contour {
namespace {

using loss_distribution::Side;
using numeric::unit;

// Below it a product of rates loses digits.
constexpr double least_rounded_rate = 1e-290;

// Mass that a release may leave out while one looks how far its losses go.
constexpr double tail_of_outline = 1e-20;
// A release is cut into this many pieces at most.
constexpr double most_pieces = 1 << 17;
constexpr int most_coarser = 5;

double range_of(const Event& event, Adjacency adjacency) {
  return loss_distribution::outline(NormalPlan(event, adjacency), tail_of_outline).range;
}

loss_distribution::Direction of_losses(Direction direction) {
  return direction == Direction::remove ? loss_distribution::Direction::forward
                                        : loss_distribution::Direction::backward;
}

// So many Poisson samples of one rate, that differ in noise, share their quadrature: fewer are sharper one by one. So
// many of any take longer by their loss distributions than meshes do.
constexpr std::size_t many_noises = 100;

// So many different laws that are cut into pieces take longer than meshes, which need fewer pieces of each.
constexpr std::size_t many_continuous = 8;

// Samples of Gaussians by what they share. Poisson samples come as `add`, whichever direction is wanted.
class NoisesByPair {
 public:
  // @param rest  what the sample does not say
  void add(SampleKind kind, const Releases::Samples::key_type& sample, SampledNoise rest) {
    const auto& [rate, noise, error] = sample;
    rest.noise_multiplier = noise;
    rest.noise_error = error;
    noises_[{kind, rate}].push_back(rest);
  }

  // A participation in one sample, or several that are the same.
  // @return whether `inner` is that
  bool add(const Releases& inner, SampledNoise rest) {
    const bool is_other = !inner.gaussians.empty() || !inner.participations.empty() || !inner.others.empty();
    if (is_other || inner.sampled.size() + inner.drawn.size() != 1) return false;
    const auto& [sample, sampled] = inner.sampled.empty() ? *inner.drawn.begin() : *inner.sampled.begin();
    rest.inside = sampled.count;
    add(inner.sampled.empty() ? SampleKind::without_replacement : SampleKind::add, sample, rest);
    return true;
  }

  // @param known  of samples by themselves, to be shared
  std::vector<Part> parts(Direction direction, loss_distribution::Pair pair, PoissonGaussians& known) && {
    const SampleKind poisson = direction == Direction::add ? SampleKind::add : SampleKind::remove;
    std::vector<Part> found;
    for (auto& [shared, noises] : noises_) {
      const auto& [kind, rate] = shared;
      // From below data sets of equal records are taken, and what is drawn is like a Poisson sample.
      const bool is_drawn = kind == SampleKind::without_replacement && pair == loss_distribution::Pair::dominating;
      if (is_drawn || noises.size() >= many_noises) {
        found.push_back({1, gaussian_samples({is_drawn ? kind : poisson, rate}, std::move(noises))});
        continue;
      }
      for (const SampledNoise& noise : noises) {
        TransformPtr& once = known[{direction, rate, noise.noise_multiplier, noise.noise_error}];
        if (!once) once = poisson_gaussian({rate, noise.noise_multiplier, noise.noise_error}, direction);
        if (noise.participation == 1)
          found.push_back({noise.count * noise.inside, once});
        else
          found.push_back({noise.count, participating(noise.participation, composed({{noise.inside, once}}))});
      }
    }
    return found;
  }

 private:
  std::map<std::pair<SampleKind, double>, std::vector<SampledNoise>> noises_;
};

}  // namespace

bool Releases::is_exact() const {
  return others.empty() &&
         std::ranges::all_of(participations, [](const Participation& part) { return part.inner->is_exact(); });
}

double Releases::variance_of_others() const {
  double variance = 0;
  for (const Other& other : others) variance += other.count * other.variance;
  for (const Participation& part : participations)
    variance += part.count * part.rate * part.inner->variance_of_others();
  return variance;
}

std::size_t Releases::kinds() const {
  std::size_t found = gaussians.size() + sampled.size() + drawn.size() + others.size();
  for (const Participation& part : participations) found += part.inner->kinds();
  return found;
}

std::size_t Releases::exact_kinds() const {
  std::size_t found = gaussians.size() + sampled.size() + drawn.size();
  for (const Participation& part : participations) found += part.inner->exact_kinds();
  return found;
}

std::size_t Releases::continuous_kinds() const {
  auto found = static_cast<std::size_t>(std::ranges::count_if(
      others, [](const Other& other) { return !loss_distribution::has_finite_losses(other.event); }));
  for (const Participation& part : participations) found += part.inner->continuous_kinds();
  return found;
}

bool PlanTransforms::has_many_continuous() const { return releases_.continuous_kinds() >= many_continuous; }

bool PlanTransforms::has_many_exact() const { return releases_.exact_kinds() >= many_noises; }

PlanTransforms::PlanTransforms(const NormalPlan& plan)
    : adjacency_(plan.adjacency()), basis_(adjacency_, "contour"), number_(number_of_releases(plan.event())) {
  basis_.add(plan.event());
  gather(plan.event(), 1, releases_);
}

void PlanTransforms::gather(const Event& event, double count, Releases& found) {
  const auto add_other = [&] {
    const loss_distribution::Outline outline =
        loss_distribution::outline(NormalPlan(event, adjacency_), tail_of_outline);
    found.others.push_back({event, count, outline.range, outline.variance});
  };
  match_node(
      event,
      [&](const Leaf& leaf) {
        const auto* gaussian = std::get_if<Gaussian>(&leaf.event());
        if (gaussian == nullptr) return add_other();
        theorems_.cite("Gaussian: Balle, Wang 2018, Theorem 5");
        found.gaussians[gaussian->noise_multiplier.value()] += count;
      },
      [&](const PoissonSampled& e) {
        if (!gather_sampled(e, event, count, found)) add_other();
      },
      [&](const Participates& e) {
        theorems_.cite("participation seen by the adversary: accounting/renyi/proofs.md, 6.1");
        Releases inner;
        gather(*e.inner, 1, inner);
        found.participations.push_back({e.rate.value(), std::make_shared<const Releases>(std::move(inner)), count});
      },
      [&](const Repeated& e) { gather(*e.inner, count * static_cast<double>(e.count.value()), found); },
      [&](const Composed& e) {
        for (const Event& part : e.parts) gather(part, count, found);
      },
      [&](const SampledWithoutReplacement& e) {
        if (!gather_drawn(e, event, count, found)) add_other();
      },
      [&](const SampledWithReplacement&) { add_other(); }, [&](const TruncatedPoisson&) { add_other(); },
      [&](const Shuffled&) { add_other(); }, [&](const RandomlyAllocated&) { add_other(); },
      [&](const ShuffledBatches&) { add_other(); }, [&](const Grouped&) { add_other(); },
      [&](const Selected&) { add_other(); });
}

bool PlanTransforms::gather_sampled(const PoissonSampled& sampled, const Event& event, double count, Releases& found) {
  if (adjacency_ == Adjacency::replace_one) return false;  // its pair is another
  // A sample of a sample is a sample at the product of the rates; the normal form has left it where that is rounded.
  double rate = sampled.rate.value();
  bool is_rounded = std::holds_alternative<Rate::Fraction>(sampled.rate.form);
  const Event* inside = &*sampled.inner;
  while (const auto* deeper = std::get_if<PoissonSampled>(inside)) {
    rate *= deeper->rate.value();
    is_rounded = true;
    inside = &*deeper->inner;
  }
  // Next to 1 the rounding of a rate is a large part of its complement.
  if (is_rounded && ((rate > 0.999 && rate < 1) || rate < least_rounded_rate)) return false;
  const auto noise = gaussian_noise(*inside, Rounding::up);
  if (!noise) return false;
  const double error = (*noise - *gaussian_noise(*inside, Rounding::down)) / *noise;
  theorems_.cite("Poisson-subsampled Gaussian: Zhu, Dong, Wang 2022, Theorem 11");
  Releases::Sampled& same = found.sampled.try_emplace({rate, *noise, error}, Releases::Sampled{event, 0}).first->second;
  same.count += count;
  return true;
}

bool PlanTransforms::gather_drawn(const SampledWithoutReplacement& drawn, const Event& event, double count,
                                  Releases& found) {
  const double rate = drawn.rate.value();
  const bool is_rounded = std::holds_alternative<Rate::Fraction>(drawn.rate.form);
  if (!(rate < 1) || (is_rounded && (rate > 0.999 || rate < least_rounded_rate))) return false;
  const auto noise = gaussian_noise(*drawn.inner, Rounding::up);
  if (!noise) return false;
  const double error = (*noise - *gaussian_noise(*drawn.inner, Rounding::down)) / *noise;
  Releases::Sampled& same = found.drawn.try_emplace({rate, *noise, error}, Releases::Sampled{event, 0}).first->second;
  same.count += count;
  return true;
}

// At that step, or the least at which a composition inside of the event is not too long.
loss_distribution::Pieces PlanTransforms::pieces_of(const Event& event, double step, double tail, Direction direction,
                                                    const Sided& sided) const {
  for (int coarser = 0;; ++coarser, step *= 4) {
    try {
      return loss_distribution::losses_of(event, adjacency_,
                                          {sided.side, of_losses(direction), sided.pair, 2 * step, tail});
    } catch (const Unsupported&) {
      if (coarser == most_coarser) throw;
    }
  }
}

Law PlanTransforms::law_of(const Event& event, double range, double copies, Direction direction,
                           const OnSide& on_side) const {
  const auto& [c, variance, tail, has_exact] = on_side.fineness;
  const double share = variance / copies / static_cast<double>(releases_.kinds());
  const double step = std::max(std::sqrt(share), range / most_pieces);
  // Where all outcomes have one loss any step will do.
  const Merged law =
      merged(pieces_of(event, step > 0 ? step : 1, tail, direction, on_side.sided), on_side.sided.side, {c, share});
  if (law.atoms.empty() || !(law.at_infinity < 1)) throw DoesNotConverge();
  return {atoms(law.atoms), std::log1p(-law.at_infinity)};
}

Law PlanTransforms::law(const Releases& releases, double count, double copies, const Wanted& wanted) const {
  const auto& [direction, pair, on_side] = wanted;
  std::vector<Part> parts;
  Law all;
  const auto add = [&](Law one, double times) {
    parts.push_back({count * times, std::move(one.loss)});
    all.log_finite += count * times * one.log_finite;
  };
  const auto add_by_pieces = [&](const Releases::Sampled& sampled) {
    add(law_of(sampled.event, range_of(sampled.event, adjacency_), copies * sampled.count, direction, *on_side),
        sampled.count);
  };
  for (const auto& [noise, times] : releases.gaussians) add({gaussian(1 / noise / noise)}, times);
  const bool has_exact = on_side == nullptr || on_side->fineness.has_exact;
  NoisesByPair noises;
  for (const auto& [sample, sampled] : releases.sampled) {
    if (has_exact)
      noises.add(SampleKind::add, sample, {.count = count * sampled.count});
    else
      add_by_pieces(sampled);
  }
  for (const auto& [sample, drawn] : releases.drawn) {
    if (has_exact)
      noises.add(SampleKind::without_replacement, sample, {.count = count * drawn.count});
    else
      add_by_pieces(drawn);
  }
  for (const auto& [rate, inner, times] : releases.participations) {
    if (has_exact && noises.add(*inner, {.participation = rate, .count = count * times})) continue;
    Law inside = law(*inner, 1, copies * times * rate, wanted);
    const double log_finite = std::log1p(rate * std::expm1(inside.log_finite));
    add({participating(rate, std::move(inside.loss)), log_finite}, times);
  }
  for (Part& part : std::move(noises).parts(direction, pair, poisson_gaussians_)) parts.push_back(std::move(part));
  for (const auto& [event, times, range, variance] : releases.others)
    add(law_of(event, range, copies * times, direction, *on_side), times);
  if (parts.empty()) return {};
  all.loss = composed(std::move(parts));
  return all;
}

Law PlanTransforms::law(std::uint64_t count, const Sided& sided, Direction direction, const Fineness& fineness) const {
  const OnSide on_side{sided, fineness};
  const auto times = static_cast<double>(count);
  Law found = law(releases_, times, times, {direction, sided.pair, &on_side});
  const double rounding = unit * (8 + static_cast<double>(releases_.others.size() + releases_.participations.size()));
  found.log_finite *= sided.side == Side::upper ? 1 + rounding : 1 - rounding;
  return found;
}

Bound PlanTransforms::bound(double lower, double upper, std::uint64_t count) const {
  Bound found = basis_.bound(lower, upper, count);
  if (is_exact() && !is_unattained()) {
    Theorems own = theorems_;
    if (number_ * static_cast<double>(count) > 1) own.cite("composition: Zhu, Dong, Wang 2022, Theorem 10");
    found.theorems = own.take();
  }
  found.theorems.emplace_back(
      "contour integral of the moment generating function, both errors bounded: accounting/contour/proofs.md");
  return found;
}

}  // namespace dpbudget::contour
