#include "dpbudget/accounting/plan/releases.h"

#include <optional>
#include <utility>

#include "dpbudget/accounting/plan/gaussian_noise.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {
namespace {

std::vector<Event> parts_of(const Event& event) {
  const auto* composed = std::get_if<Composed>(&event);
  return composed != nullptr ? composed->parts : std::vector<Event>{event};
}

bool is_gaussian(const Event& event) { return gaussian_noise(event, Rounding::down).has_value(); }

// Of all parts that are Gaussian; nothing where there are none, or where their noise together leaves a double's range.
std::optional<Event> all_gaussians(const std::vector<Event>& parts) {
  std::vector<Event> gaussians;
  for (const Event& part : parts)
    if (is_gaussian(part)) gaussians.push_back(part);
  Event together = compose(std::move(gaussians));
  return is_gaussian(together) ? std::optional(std::move(together)) : std::nullopt;
}

}  // namespace

std::vector<Release> releases_of(const Event& event) {
  const std::vector<Event> parts = parts_of(event);
  std::optional<Event> gaussians = all_gaussians(parts);
  const bool are_together = gaussians.has_value();
  std::vector<Release> releases;
  for (const Event& part : parts) {
    if (are_together && is_gaussian(part)) {
      if (gaussians) releases.push_back({*std::exchange(gaussians, std::nullopt), 1});
    } else if (const auto* repeated = std::get_if<Repeated>(&part)) {
      releases.push_back({*repeated->inner, repeated->count.value()});
    } else {
      releases.push_back({part, 1});
    }
  }
  return releases;
}

double number_of_releases(const Event& event) {
  return match_node(
      event, [](const Leaf&) { return 1.0; }, [](const PoissonSampled& e) { return number_of_releases(*e.inner); },
      [](const SampledWithoutReplacement& e) { return number_of_releases(*e.inner); },
      [](const SampledWithReplacement& e) { return number_of_releases(*e.inner); },
      [](const TruncatedPoisson& e) { return number_of_releases(*e.inner); },
      [](const Participates& e) { return number_of_releases(*e.inner); },
      [](const Repeated& e) { return static_cast<double>(e.count.value()) * number_of_releases(*e.inner); },
      [](const Composed& e) {
        double releases = 0;
        for (const Event& part : e.parts) releases += number_of_releases(part);
        return releases;
      },
      [](const Shuffled&) { return 1.0; },
      [](const RandomlyAllocated& e) { return static_cast<double>(e.steps.times) * number_of_releases(*e.inner); },
      [](const ShuffledBatches& e) { return number_of_releases(*e.inner); },
      [](const Grouped& e) { return number_of_releases(*e.inner); },
      [](const Selected& e) { return number_of_releases(*e.inner); });
}

}  // namespace dpbudget
