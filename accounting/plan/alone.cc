#include "dpbudget/accounting/plan/alone.h"

#include <variant>

namespace dpbudget {

const Event& alone(const Event& event) {
  if (const auto* repeated = std::get_if<Repeated>(&event); repeated != nullptr && repeated->count.value() == 1)
    return alone(*repeated->inner);
  if (const auto* composed = std::get_if<Composed>(&event); composed != nullptr && composed->parts.size() == 1)
    return alone(composed->parts.front());
  return event;
}

}  // namespace dpbudget
