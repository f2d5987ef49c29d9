#include "dpbudget/accounting/solve/rest.h"

#include <utility>
#include <variant>
#include <vector>

#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::solve {

std::optional<Event> rest_of(const Event& event) {
  if (unknowns(event) == 0) return event;
  if (const auto* repeated = std::get_if<Repeated>(&event)) {
    auto inner = rest_of(*repeated->inner);
    if (!inner || repeated->count.is_unknown()) return std::nullopt;
    return repeat(repeated->count.value(), *std::move(inner));
  }
  const auto* composed = std::get_if<Composed>(&event);
  if (composed == nullptr) return std::nullopt;
  std::vector<Event> rest;
  for (const Event& part : composed->parts)
    if (auto known = rest_of(part)) rest.push_back(*std::move(known));
  if (rest.empty()) return std::nullopt;
  return compose(std::move(rest));
}

}  // namespace dpbudget::solve
