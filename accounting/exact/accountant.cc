#include "dpbudget/accounting/exact/accountant.h"

#include <optional>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/exact/composed_gaussian.h"
#include "dpbudget/accounting/exact/shuffled.h"

namespace dpbudget::exact {

namespace {

// Sets of shuffled reports, all alike, and nothing else.
struct Shuffles {
  const Shuffled* event = nullptr;
  std::uint64_t rounds = 1;
};

std::optional<Shuffles> shuffles_of(const Event& event) {
  if (const auto* shuffled = std::get_if<Shuffled>(&event)) return Shuffles{shuffled, 1};
  const auto* repeated = std::get_if<Repeated>(&event);
  if (repeated == nullptr) return std::nullopt;
  const auto* inner = std::get_if<Shuffled>(&*repeated->inner);
  if (inner == nullptr) return std::nullopt;
  return Shuffles{inner, repeated->count.value()};
}

// Whether what is summed up is what the pair costs: of several rounds with the same data it need not be.
bool is_single(const std::optional<Shuffles>& shuffles) { return !shuffles || shuffles->rounds <= 1; }

}  // namespace

Accountant::Accountant(const NormalPlan& plan) : plan_(plan) {
  if (const auto shuffles = shuffles_of(plan_.event()))
    require_shuffled_theorem(*shuffles->event, plan_.adjacency(), shuffles->rounds);
  else
    require_gaussians(plan_);
}

Bound Accountant::epsilon(std::uint64_t count, double delta) const {
  ranges::count(count);
  const NormalPlan all = plan_.repeated(count);
  const auto shuffles = shuffles_of(all.event());
  Bound bound = shuffles ? shuffled_epsilon(*shuffles->event, all.adjacency(), shuffles->rounds, delta)
                         : composed_gaussian_epsilon(all, delta);
  bound.accountant = "exact";
  bound.is_resolved = is_single(shuffles);
  return bound;
}

DeltaBound Accountant::delta(std::uint64_t count, double epsilon) const {
  ranges::count(count);
  const NormalPlan all = plan_.repeated(count);
  const auto shuffles = shuffles_of(all.event());
  DeltaBound found = shuffles ? shuffled_delta(*shuffles->event, all.adjacency(), shuffles->rounds, epsilon)
                              : composed_gaussian_delta(all, epsilon);
  found.bound.accountant = "exact";
  found.bound.is_resolved = is_single(shuffles);
  return found;
}

}  // namespace dpbudget::exact
