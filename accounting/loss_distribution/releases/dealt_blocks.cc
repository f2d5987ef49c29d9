#include "dpbudget/accounting/loss_distribution/releases/dealt_blocks.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/plan/normal_form.h"

namespace dpbudget::loss_distribution {

using numeric::unit;

Event blocks_of(const RandomlyAllocated& event, Adjacency adjacency) {
  const std::uint64_t times = event.steps.times;
  const std::uint64_t shorter = event.steps.value() / times;
  const std::uint64_t longer = event.steps.value() % times;
  std::vector<Event> blocks{Repeated{times - longer, Event(RandomlyAllocated{shorter, event.inner})}};
  if (longer > 0) blocks.emplace_back(Repeated{longer, Event(RandomlyAllocated{shorter + 1, event.inner})});
  return NormalPlan(compose(std::move(blocks)), adjacency).event();
}

double share_of_step(const Steps& steps) {
  return static_cast<double>(steps.times) / static_cast<double>(steps.value()) * (1 - unit);
}

std::optional<double> noise_of_sum(const Steps& steps, double noise) {
  const double sum = noise * std::sqrt(static_cast<double>(steps.value())) / static_cast<double>(steps.times);
  const double raised = sum * (1 + 2 * unit);
  return std::isnormal(raised) ? std::optional(raised) : std::nullopt;
}

}  // namespace dpbudget::loss_distribution
