#include "dpbudget/accounting/contour/transform_of.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/contour/composition.h"
#include "dpbudget/accounting/contour/poisson_gaussian.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/theorems.h"

namespace dpbudget::contour {
namespace {

constexpr std::string_view composition_theorem = "composition: Zhu, Dong, Wang 2022, Theorem 10";

// What a plan composes, equal releases counted together.
struct Releases {
  std::map<double, double> gaussians;                            // noise multiplier -> count
  std::map<std::tuple<double, double, double>, double> sampled;  // rate, noise multiplier, its relative error -> count
  std::vector<std::pair<const Participates*, double>> participations;

  bool none() const { return gaussians.empty() && sampled.empty() && participations.empty(); }
};

class Builder : public PlanReader {
 public:
  explicit Builder(Adjacency adjacency) : PlanReader("contour", adjacency) {}

  Releases releases(const Event& event) {
    Releases found;
    gather(event, 1, found);
    return found;
  }

  // `releases` is not empty.
  TransformPtr transform(const Releases& releases, Direction direction) {
    std::vector<Part> parts;
    parts.reserve(releases.gaussians.size() + releases.sampled.size() + releases.participations.size());
    for (const auto& [noise, count] : releases.gaussians) parts.push_back({count, gaussian(1 / noise / noise)});
    for (const auto& [sample, count] : releases.sampled) {
      const auto& [rate, noise, error] = sample;
      parts.push_back({count, poisson_gaussian({rate, noise, error}, direction)});
    }
    for (const auto& [participation, count] : releases.participations)
      parts.push_back({count, participating(participation->rate.value(),
                                            transform(this->releases(*participation->inner), direction))});
    if (parts.size() > 1 || parts.front().count > 1) cite(std::string(composition_theorem));
    return composed(std::move(parts));
  }

  bool samples() const { return samples_; }

 private:
  void gather(const Event& event, double count, Releases& found) {
    if (count == 0) return;
    match(
        event,
        [&](const Gaussian& e) {
          cite("Gaussian: Balle, Wang 2018, Theorem 5");
          found.gaussians[e.noise_multiplier.value()] += count;
        },
        [&](const PoissonSampled& e) { gather_sampled(e, event, count, found); },
        [&](const Participates& e) {
          if (e.rate.value() == 1) return gather(*e.inner, count, found);
          if (e.rate.value() == 0 || releases(*e.inner).none()) return;
          cite("participation seen by the adversary: accounting/renyi/proofs.md, section 6");
          const auto same = std::ranges::find_if(found.participations, [&](const auto& p) { return *p.first == e; });
          if (same == found.participations.end())
            found.participations.emplace_back(&e, count);
          else
            same->second += count;
        },
        [&](const Repeated& e) { gather(*e.inner, count * static_cast<double>(e.count.value()), found); },
        [&](const Composed& e) {
          for (const Event& part : e.parts) gather(part, count, found);
        },
        [&](const auto&) {
          refuse(event, "it takes gaussian, poisson samples of gaussians, participates and their compositions");
        });
  }

  void gather_sampled(const PoissonSampled& sampled, const Event& event, double count, Releases& found) {
    if (adjacency() == Adjacency::replace_one)
      refuse(event, "Poisson sampling is analysed under add_or_remove_one or zero_out_one");
    // A sample of a sample is a sample at the product of the rates.
    double rate = sampled.rate.value();
    bool is_rounded = std::holds_alternative<Rate::Fraction>(sampled.rate.form);
    const Event* inside = &*sampled.inner;
    while (const auto* deeper = std::get_if<PoissonSampled>(inside)) {
      rate *= deeper->rate.value();
      is_rounded = true;
      inside = &*deeper->inner;
    }
    // Next to 1 the rounding of a rate is a large part of its complement.
    if (is_rounded && rate > 0.999 && rate < 1)
      refuse(event, "so close to 1 a rate must be one number, not a fraction or a product");
    if (rate == 0) return;
    if (rate == 1) return gather(*inside, count, found);
    const auto noise = gaussian_noise(*inside, Rounding::up);
    if (!noise) {
      if (releases(*inside).none()) return;
      refuse(event, "of what is sampled it takes gaussian and compositions of gaussians");
    }
    cite("Poisson-subsampled Gaussian: Zhu, Dong, Wang 2022, Theorem 11");
    samples_ = true;
    const double error = (*noise - *gaussian_noise(*inside, Rounding::down)) / *noise;
    found.sampled[{rate, *noise, error}] += count;
  }

  bool samples_ = false;
};

}  // namespace

void PlanTransforms::cite_composition() {
  if (std::ranges::find(theorems, composition_theorem) == theorems.end()) theorems.emplace_back(composition_theorem);
}

PlanTransforms transforms_of(const Plan& plan) {
  check(plan.event);
  Builder builder(plan.adjacency);
  const Releases releases = builder.releases(plan.event);
  PlanTransforms transforms;
  if (!releases.none()) {
    transforms.directions.push_back(builder.transform(releases, Direction::remove));
    if (builder.samples()) transforms.directions.push_back(builder.transform(releases, Direction::add));
  }
  transforms.theorems = builder.take_theorems();
  return transforms;
}

}  // namespace dpbudget::contour
