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

constexpr std::string_view takes =
    "it takes gaussian, poisson samples of gaussians, participates and their compositions";

// Below it a product of rates loses digits.
constexpr double least_rounded_rate = 1e-290;

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
    match_node(
        event,
        [&](const Leaf& leaf) {
          const auto* gaussian = std::get_if<Gaussian>(&leaf.event());
          if (gaussian == nullptr) refuse(event, takes);
          cite("Gaussian: Balle, Wang 2018, Theorem 5");
          found.gaussians[gaussian->noise_multiplier.value()] += count;
        },
        [&](const PoissonSampled& e) { gather_sampled(e, event, count, found); },
        [&](const Participates& e) {
          releases(*e.inner);  // refuses here what is in it
          cite("participation seen by the adversary: accounting/renyi/proofs.md, section 6");
          found.participations.emplace_back(&e, count);
        },
        [&](const Repeated& e) { gather(*e.inner, count * static_cast<double>(e.count.value()), found); },
        [&](const Composed& e) {
          for (const Event& part : e.parts) gather(part, count, found);
        },
        [&](const SampledWithoutReplacement&) { refuse(event, takes); }, [&](const Shuffled&) { refuse(event, takes); },
        [&](const RandomlyAllocated&) { refuse(event, takes); });
  }

  void gather_sampled(const PoissonSampled& sampled, const Event& event, double count, Releases& found) {
    if (adjacency() == Adjacency::replace_one)
      refuse(event, "Poisson sampling is analysed under add_or_remove_one or zero_out_one");
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
    if (is_rounded && rate > 0.999 && rate < 1)
      refuse(event, "so close to 1 a rate must be one number, not a fraction or a product");
    if (is_rounded && rate < least_rounded_rate) refuse(event, "so close to 0 a rate must be one number");
    const auto noise = gaussian_noise(*inside, Rounding::up);
    if (!noise) refuse(event, "of what is sampled it takes gaussian and compositions of gaussians");
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

PlanTransforms transforms_of(const NormalPlan& plan) {
  Builder builder(plan.adjacency());
  const Releases releases = builder.releases(plan.event());
  PlanTransforms transforms;
  if (!releases.none()) {
    transforms.directions.push_back(builder.transform(releases, Direction::remove));
    if (builder.samples()) transforms.directions.push_back(builder.transform(releases, Direction::add));
  }
  transforms.theorems = builder.take_theorems();
  return transforms;
}

}  // namespace dpbudget::contour
